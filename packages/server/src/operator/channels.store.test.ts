import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { mailbox } from '../../../../testing/mailbox.ts'
import { onEveryEngine } from '../../testing/stores.ts'
import { hook, openAlert, typing } from '../../testing/typing.ts'
import { isSigningSecret } from '../deliveries/channels/webhook.ts'

const text = expect.any(String)
const signing = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

onEveryEngine('commands for channels and deliveries', (open) => {
  const start = async (more?: { smtpUrl: string }) => typing(await open(), more)

  test('channel add prints a secret only if the service made it, and nothing prints a secret afterwards', async () => {
    const { w, json, said } = await start()
    const made = await json('channel add north made', hook)
    expect(made).toEqual({ name: 'made', kind: 'webhook', secret: text })
    expect(isSigningSecret(made.secret)).toBe(true)
    const shown = await said('channel add north shown', hook)
    const [secret = ''] = /whsec_\S+/.exec(shown) ?? []
    expect(shown).toBe(`Added the webhook channel shown. Its signing secret, which is not shown again:\n\n  ${secret}`)
    expect(await json('channel add north given', hook, `${signing}\n`)).toEqual({ name: 'given', kind: 'webhook' })
    const chat = ['--kind', 'telegram', '--to', '-100123']
    expect(await said('channel add north chat', chat, '1:hidden-token\n')).toBe('Added the telegram channel chat.')
    const slack = ['--kind', 'slack', '--url', 'https://hooks.slack.com/services/T0/hidden-path']
    expect(await json('channel add north slack', slack)).toEqual({ name: 'slack', kind: 'slack' })
    expect(await said('channel add north given', hook, signing)).toBe('refused: There is already a channel "given".')
    const listed = await json('channel list north')
    const row = { kind: 'webhook', format: 'grouped', enabled: true, disabledBecause: null, failingSince: null }
    const never = { lastAnswer: null, lastAt: null }
    expect(listed).toHaveLength(5)
    expect(listed).toContainEqual({ name: 'made', ...row, address: 'https://example.org/hook', ...never })
    await w.store.db.updateTable('alert_channel').set({ failing_since: 0 }).where('name', '=', 'made').execute()
    expect(await said('channel list north')).toMatch(/^made +webhook +grouped +yes, failing since 1970-01-01/m)
    const rows = await Promise.all(
      (['alert_channel', 'alert_delivery', 'audit'] as const).map((table) =>
        w.store.db.selectFrom(table).selectAll().execute(),
      ),
    )
    const later = [listed, await said('channel list north'), await json('delivery list north'), rows]
    for (const hidden of [made.secret, secret, signing, '1:hidden-token', 'hidden-path'])
      expect(JSON.stringify(later)).not.toContain(hidden)
  })

  test('a channel that could not work is refused with a sentence and not added', async () => {
    const { json, said } = await start()
    const refusals: [string, string[], RegExp][] = [
      ['ops', [], /^misused: A channel needs a kind: --kind webhook/],
      ['ops', ['--kind', 'sms'], /^refused: The kind must be one of webhook, email, .*: got "sms"/],
      ['Ops!', hook, /^refused: A channel's name has lowercase letters, digits and single hyphens/],
      ['ops', ['--kind', 'webhook'], /^refused: A channel of the kind webhook needs an address \(--url\)/],
      ['ops', [...hook, '--format', 'xml'], /^refused: The format must be single or grouped: got "xml"/],
      ['ops', ['--kind', 'telegram', '--to', '1'], /^refused: .* needs a token on standard input/],
      ['ops', ['--kind', 'webhook', '--url', 'http://10.0.0.1/'], /^refused: .*10\.0\.0\.1.*SVC_OUTBOUND_ALLOW/],
      ['ops', ['--kind', 'push'], /^refused: A push channel belongs to a person/],
      ['ops', ['--kind', 'email', '--to', 'ops@example.org'], /^refused: This service sends no email\. .*SVC_SMTP_URL/],
    ]
    for (const [name, more, sentence] of refusals)
      expect(await said(`channel add north ${name}`, more)).toMatch(sentence)
    expect(await json('channel list north')).toEqual([])
  })

  test('channel test prints what the receiver answered, and delivery list and retry follow the same message', async () => {
    const { json, said } = await start()
    const answers = [503, 200]
    const url = await receiver(() => answers.shift() ?? 200)
    await json('channel add north ops --kind webhook --format single --url', [url])
    expect(await json('channel test north/ops')).toEqual({ ok: false, status: 503, message: text })
    const [dead] = await json('delivery list north')
    expect(dead).toEqual({ id: text, channel: 'ops', state: 'dead', attempt: 1, lastAnswer: text })
    expect(await said('channel test north/ops')).toMatch(/^The receiver took the test: 200/)
    expect((await json('delivery list north')).map(({ state }: { state: string }) => state)).toEqual(['sent', 'dead'])
    expect(await json('delivery list north --state dead')).toEqual([dead])
    const [sent] = await json('delivery list north --state sent')
    expect(await json('delivery list north --state waiting')).toEqual([])
    expect(await json(`delivery retry ${dead.id}`)).toEqual({ id: dead.id })
    expect(await json('delivery list north --state waiting')).toMatchObject([{ id: dead.id, state: 'waiting' }])
    expect(await said(`delivery retry ${sent.id}`)).toBe(
      'refused: Only a dead delivery can be sent again: this one waits or was taken.',
    )
    expect(await said('delivery retry none')).toMatch(/^refused: There is no delivery "none"\./)
    expect(await said('delivery list north --state lost')).toBe(
      'misused: A state is one of waiting, sent, dead: got "lost".',
    )
  })

  test('with SVC_SMTP_URL an email channel is added, and its test says what the mail server answered', async () => {
    const { url, mails } = await mailbox()
    const { json } = await start({ smtpUrl: url })
    expect(await json('channel add north ops --kind email --to ops@example.org')).toEqual({
      name: 'ops',
      kind: 'email',
    })
    expect(await json('channel test north/ops')).toEqual({ ok: true, status: 250, message: text })
    expect(mails.map(({ to }) => to)).toEqual([['ops@example.org']])
  })

  test('channel enable, disable and remove answer alike, and an unknown channel is refused with a sentence', async () => {
    const { json, said } = await start()
    await json('channel add north ops', hook)
    const enabled = async () => (await json('channel list north')).map((row: { enabled: boolean }) => row.enabled)
    expect(await json('channel disable north/ops')).toEqual({ ok: true })
    expect(await enabled()).toEqual([false])
    expect(await json('channel enable north/ops')).toEqual({ ok: true })
    expect(await enabled()).toEqual([true])
    expect(await json('channel remove north/ops')).toEqual({ ok: true })
    expect(await enabled()).toEqual([])
    for (const verb of ['test', 'enable', 'disable', 'remove']) {
      expect(await said(`channel ${verb} north/ops`)).toMatch(/^refused: There is no channel "ops"\./)
      expect(await said(`channel ${verb} ops`)).toBe('misused: A channel is named SLUG/NAME: got "ops".')
    }
  })

  test('@service stands for the service itself in every command that names a workspace', async () => {
    const { w, json, said } = await start()
    const service = { rule: 'service', on: true, after: 0, limit: null, statuses: null, channels: null, level: text }
    expect(await json('rule list @service')).toEqual([service])
    expect(await json('rule set @service service --after 2s')).toEqual({ ...service, after: 2 })
    expect(await said('rule set @service silent --on')).toBe('refused: The only rule of @service is service.')
    expect((await json('rule list north')).at(-1)).toMatchObject({ rule: 'service', after: 0 })
    const url = await receiver(() => 204)
    expect(await json('channel add @service pager --kind webhook --url', [url], signing)).toEqual({
      name: 'pager',
      kind: 'webhook',
    })
    expect(await json('channel list @service')).toMatchObject([{ name: 'pager', enabled: true }])
    expect(await json('channel list north')).toEqual([])
    expect(await json('channel test @service/pager')).toMatchObject({ ok: true, status: 204 })
    const [sent] = await json('delivery list @service')
    expect(sent).toMatchObject({ channel: 'pager', state: 'sent' })
    expect(await said(`delivery retry ${sent.id}`)).toMatch(/^refused: Only a dead delivery/)
    const id = await openAlert(w, { id: 'disk', name: 'svc', kind: 'service', scope: { id: '@service' } })
    expect(await json('alert list @service')).toMatchObject([{ id, subject: { kind: 'service', name: 'svc' } }])
    expect(await json('alert list north')).toEqual([])
    expect(await json(`alert acknowledge ${id}`)).toEqual({ id })
    const mute = await json('alert mute @service --for 1h')
    expect(await json('alert mutes @service')).toEqual([mute])
    expect(await json('alert mutes north')).toEqual([])
    expect(await json(`alert unmute ${mute.id}`)).toEqual({ id: mute.id })
    for (const verb of ['disable', 'enable', 'remove'])
      expect(await json(`channel ${verb} @service/pager`)).toEqual({ ok: true })
  })
})

/**
 * Starts an HTTP server on this machine that answers each request with the status that `status` returns. Returns the
 * server's address.
 */
async function receiver(status: () => number): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status()).end())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}
