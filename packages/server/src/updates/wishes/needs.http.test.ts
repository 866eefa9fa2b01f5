import type { BlueprintVersion, NewCode, RefusalBody, RolloutPreview, WishResult } from '@svc/api'
import { expect, test } from 'vitest'
import { type BundleOptions, bundle } from '../../../testing/bundles.ts'
import { serve } from '../../../testing/page/service.ts'

const w = '/api/web/w/north'
const needing: BundleOptions = { version: '2.0.0', needs: '[restic, {name: python3, min: "3.9", version_args: [-V]}]' }
const tooOld = '2.0.0 needs svc 0.2.0 or newer, and its machine has 0.1.0: update its runtime first.'

/** Serves a workspace with the versions 1.0.0 and 2.0.0 of a blueprint. 2.0.0 needs svc 0.2.0. */
async function start() {
  const service = await serve()
  await service.workspace('north')
  const ada = await service.person('Ada', 'north', 'admin')
  const upload = async (made: BundleOptions) => {
    const answer = await fetch(`${service.origin}${w}/blueprints`, {
      method: 'POST',
      body: Buffer.from(await bundle(made)),
      headers: { cookie: ada.cookie, origin: service.origin, 'content-type': 'application/zip' },
    })
    return (await answer.json()) as BlueprintVersion
  }
  const uploads = [await upload({}), await upload(needing)]
  const issue = async (version: string, agent: string) =>
    (await ada.send<NewCode>('POST', `${w}/codes`, { blueprint: 'mail', version, agent })).body
  const call = async (path: string, code: string, userAgent: string) => {
    const headers = { 'user-agent': userAgent }
    const answer = await fetch(`${service.origin}/api/agent/v1/${path}`, {
      method: 'POST',
      body: JSON.stringify({ code }),
      headers,
    })
    return { status: answer.status, body: (await answer.json()) as { env: { SVC_TOKEN: string } } & RefusalBody }
  }
  const installed = async (agent: string, runtime: string) => {
    const { code } = await issue('1.0.0', agent)
    const { SVC_TOKEN: token } = (await call('install', code, `svc/${runtime}`)).body.env
    const report = (version: string) => service.reports(token, { agent: { version: '1.0.0' }, runtime: { version } })
    await report(runtime)
    return report
  }
  return { service, ada, uploads, issue, call, installed }
}

test('the answer to an upload says which svc version the manifest needs', async () => {
  const { uploads } = await start()
  expect(uploads.map(({ neededSvc }) => neededSvc)).toEqual([null, 'svc 0.2.0 or newer (the key "needs")'])
})

test('a wish and a rollout leave out agents whose runtime is too old, and reach them once it is updated', async () => {
  const { ada, installed } = await start()
  const old = await installed('old', '0.1.0')
  await installed('new', '0.2.0')
  await installed('source', 'dev')
  const press = (agent: string, version: string) =>
    ada.send<RefusalBody>('PUT', `${w}/agents/${agent}/wishes/blueprint`, { version })
  const refused = await press('old', '2.0.0')
  expect([refused.status, refused.body.error]).toEqual([409, { code: 'svc_too_old', message: tooOld }])
  expect((await press('old', '1.0.0')).status).toBe(200)
  const many = await ada.send<WishResult[]>('POST', `${w}/wishes`, {
    kind: 'blueprint',
    blueprint: 'mail',
    version: '2.0.0',
    agents: ['old', 'new', 'source'],
  })
  expect(many.body.map(({ agent, ok, code }) => [agent, ok, code])).toEqual([
    ['old', false, 'svc_too_old'],
    ['new', true, null],
    ['source', true, null],
  ])
  const wanted = { kind: 'blueprint', blueprint: 'mail', version: '2.0.0' }
  const preview = async () => (await ada.send<RolloutPreview>('POST', `${w}/rollouts/preview`, wanted)).body
  expect((await preview()).leftOut).toEqual([{ agent: 'old', code: 'svc_too_old', message: tooOld, rollout: null }])
  await old('0.2.0')
  expect((await preview()).leftOut).toEqual([])
  expect((await press('old', '2.0.0')).status).toBe(200)
})

test('an install code says which svc the machine needs; an older svc is refused before the code is used up', async () => {
  const { issue, call } = await start()
  const { code, warnings } = await issue('2.0.0', 'backup')
  expect(warnings).toEqual([
    'The machine needs svc 0.2.0 or newer (the key "needs"): an older one refuses the code without using it up.',
  ])
  expect((await issue('1.0.0', 'other')).warnings).toEqual([])
  expect((await call('install/preview', code, 'svc/0.1.0')).body).toMatchObject({
    svc: '0.2.0',
    needs: [{ name: 'restic' }, { name: 'python3', min: '3.9', version_args: ['-V'] }],
  })
  const refused = await call('install', code, 'svc/0.1.0')
  expect([refused.status, refused.body.error.code]).toEqual([409, 'svc_too_old'])
  expect(refused.body.error.message).toContain('mail 2.0.0 needs svc 0.2.0 or newer, and this is 0.1.0.')
  expect((await call('install', code, 'svc/0.2.0')).status).toBe(200)
})
