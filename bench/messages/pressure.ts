/**
 * Queues messages for receivers that hang: 12 invitations to one domain whose recipients take 20 s each, 50 invitations
 * of another workspace to 50 such domains, 12 forgotten passwords at such domains, 40 channels of 10 workspaces, and 40
 * channels of another workspace.
 */
import type { Store } from '../../packages/server/src/platform/db/open.ts'
import { addPerson } from '../../packages/server/testing/test-workspace.ts'
import type { Caller } from './calls.ts'
import { invite } from './kinds.ts'
import { addChannel, addMessage, addOwnWorkspace, type Scene } from './seed.ts'

const [recipients, invitations, hangingWorkspaces, channelsEach, messagesEach] = [12, 50, 10, 4, 10]
const forgetful = (i: number): string => `eve@forgot-${i}.slow.test`

/** Stores the channels that hang, their messages, and the people who ask for a new password. */
export async function storeHanging(scene: Scene, full: string): Promise<void> {
  const { id: one } = await addOwnWorkspace(scene, 'slow-one')
  await addOwnWorkspace(scene, 'slow-many')
  for (let i = 0; i < recipients; i++) await addPerson(scene.store, 'Eve', one, 'member', Date.now(), forgetful(i))
  for (let w = 0; w < hangingWorkspaces; w++)
    await addHanging(scene, (await addOwnWorkspace(scene, `hangs-${w}`)).id, channelsEach)
  await addHanging(scene, full, hangingWorkspaces * channelsEach)
}

async function addHanging(scene: Scene, workspace: string, channels: number): Promise<void> {
  for (let c = 0; c < channels; c++) {
    const channel = `hangs ${workspace} ${c}`
    await addChannel(scene, channel, { kind: 'webhook', workspace, to: scene.receivers.hanging })
    for (let m = 0; m < messagesEach; m++) await addMessage(scene, channel, `alert ${channel} ${m}`, Date.now())
  }
}

/** Queues the mails that hang. */
export async function askForSlowMails(call: Caller): Promise<void> {
  for (let i = 0; i < recipients; i++) await invite(call, 'slow-one', `eve${i}@slow.test`)
  for (let i = 0; i < invitations; i++) await invite(call, 'slow-many', `eve@invited-${i}.slow.test`)
  for (let i = 0; i < recipients; i++) await call('forgot', { email: forgetful(i) })
}

/** Says how much waits for receivers that hang. */
export async function waitingText({ db }: Store): Promise<string> {
  const mails = await db.selectFrom('account_mail').select('id').execute()
  const channels = await db
    .selectFrom('alert_delivery')
    .select('channel_id')
    .where('state', '=', 'waiting')
    .where('channel_id', 'like', 'hangs %')
    .distinct()
    .execute()
  return `${mails.length} mails and the messages of ${channels.length} channels waited`
}
