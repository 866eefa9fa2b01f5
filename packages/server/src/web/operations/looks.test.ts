/**
 * Tests every text that an operation takes against texts that look like it: what is read, or the words that refuse it.
 * A new operation is a row by its description; a text that its function judges needs a row in `judges`.
 */
import { InputRefused, type Operation } from '@svc/api'
import { foldedText } from '@svc/api/filter'
import { readName, type Verdict } from '@svc/protocol'
import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { looksAtEnds, looksInside, visibleLooks } from '../../../../../testing/looks.ts'
import { inputs, takingQuery, takingText } from '../../../testing/every-text.ts'
import { type TextAt, textsIn, withValue } from '../../../testing/forms.ts'
import { type ChannelWanted, readChannel } from '../../deliveries/reading.ts'
import { readMailbox } from '../../deliveries/recipient.ts'
import { hashRecovery, newTotpSecret, stepOf } from '../../people/factors/codes.ts'

/** A text that was read, or the words of the refusal. */
type Read = Verdict<unknown, string>
const done = (value: unknown): Read => ({ ok: true, value })

/** How a text is judged: a text that is accepted, and what is read from a text that looks like it. */
interface Judge {
  plain: string
  read: (typed: string) => Read
  /** True for codes, of which only digits and letters count, whatever people put between them. */
  isCode?: true
  /** True for passwords and secrets, whose characters all stay as they are. */
  isSecret?: true
}

const name: Judge = { plain: 'Ann-Marie', read: (typed) => readName(typed, 100) }
const email: Judge = { plain: 'ann-marie@example.org', read: readMailbox }
const secret: Judge = { plain: 'correct-horse', read: done, isSecret: true }
const now = 1_800_000_000_000
const totp = newTotpSecret()
const code: Judge = {
  plain: new TOTP({ secret: Secret.fromBase32(totp) }).generate({ timestamp: now }),
  read: (typed) => done(stepOf(typed, totp, 0, now)),
  isCode: true,
}
const recovery: Judge = { plain: '7k2m-9xq4-b0c1-z8nd', read: (typed) => done(hashRecovery(typed)), isCode: true }
/** Judges a text as this part of a new channel. `rest` are its other parts. */
const channel = (part: keyof ChannelWanted, plain: string, rest: Partial<ChannelWanted> = {}): Judge => ({
  plain,
  read: (typed) => {
    const wanted = { name: 'my-hook', kind: 'webhook', url: 'https://hooks.example.org/a-b', ...rest, [part]: typed }
    const read = readChannel(wanted, { allowed: [], mails: true })
    // A signing secret is different each time.
    return read.ok
      ? done({ ...read.value, made: undefined, address: { ...read.value.address, secret: undefined } })
      : read
  },
})

/** The texts that the functions of operations judge. */
const judges: Readonly<Record<string, Judge>> = {
  'PATCH /me name': name,
  'POST /password current': secret,
  'POST /password next': secret,
  'POST /claim name': name,
  'POST /claim password': secret,
  'POST /start name': name,
  'POST /start email': email,
  'POST /start password': secret,
  'POST /start workspace': name,
  'POST /forgot email': email,
  'POST /factors/totp/confirm code': code,
  'POST /factors/passkeys name': name,
  'POST /proof code': code,
  'POST /proof password': secret,
  'POST /second-factor code': code,
  'POST /second-factor recovery': recovery,
  'POST /invitations/:id name': name,
  'POST /invitations/:id password': secret,
  'POST /workspaces name': name,
  'POST /w/:slug/invitations email': email,
  'PATCH /w/:slug name': name,
  'POST /w/:slug/channels name': channel('name', 'my-hook'),
  'POST /w/:slug/channels kind': channel('kind', 'webhook'),
  'POST /w/:slug/channels url': channel('url', 'https://hooks.example.org/a-b'),
  'POST /w/:slug/channels to': channel('to', '@chat-room', { kind: 'telegram', url: undefined, secret: 'a-token' }),
  'POST /w/:slug/channels secret': channel('secret', 'a-token', { kind: 'gotify' }),
  'POST /w/:slug/channels format': channel('format', 'single'),
  'POST /w/:slug/my-channels name': channel('name', 'my-hook'),
  // The keys of a browser, which nobody types.
  'POST /w/:slug/my-channels secret': secret,
}

const answer = { id: 'x', rawId: 'x', response: { clientDataJSON: 'x', authenticatorData: 'x', signature: 'x' } }
const newAnswer = { id: 'x', rawId: 'x', response: { clientDataJSON: 'x', attestationObject: 'x' } }
/** Additions to the inputs, and the inputs of operations whose texts are never stored. */
const further: Readonly<Record<string, object>> = {
  'POST /claim': { name: 'Ann', password: 'correct horse battery' },
  'PATCH /w/:slug/rules': { rule: 'bad', escalation: { after: 60, channels: [] } },
  'POST /proof': { passkey: answer },
  'POST /factors/passkeys': { name: 'Laptop', response: newAnswer },
  'POST /passkey': { response: answer },
  'POST /start': { name: 'Ann', email: 'ann@example.org', password: 'correct horse battery', workspace: 'North' },
}
/** A text for places in which most texts are refused. */
const plainAt: Readonly<Record<string, string>> = { q: 'host:web-1', filter: 'host:web-1' }
/** Texts for the values of queries that are no names. */
const plainInQuery: Readonly<Record<string, string>> = {
  ...{ from: '2026-11-21', to: '2026-11-21', since: '2026-11-21', until: '2026-11-21', at: '2026-11-21', limit: '42' },
}

const rowOf = ({ route }: Operation, { path }: TextAt) => `${route} ${path.filter((key) => key !== 0).join('.')}`

/** Reads an input with another text in one place, as the description of the operation says. */
function readWith({ route, input }: Operation, at: TextAt, text: string): Read {
  const plain = { ...inputs[route]?.input, ...further[route] }
  // A rollout of a runtime has no blueprint, and a wish for a runtime no version.
  const kind = ['blueprint', 'version'].includes(String(at.path[0])) && { kind: 'blueprint' }
  const needed = { slug: 'south', token: 'token', blueprint: 'mail', version: '1.0.0', ...plain, ...kind }
  try {
    return done(input?.(withValue(needed, at.path, text), ''))
  } catch (error) {
    if (error instanceof InputRefused) return { ok: false, code: error.code, message: error.message }
    throw error
  }
}

const fields = [...takingText, ...takingQuery].flatMap((operation) =>
  textsIn(operation.input?.form ?? { is: 'flag' }).map((at) => ({ row: rowOf(operation, at), operation, at })),
)

/** The texts that are read by the description of the operation, and those of `judges`. */
const rows = fields
  .filter(({ at }) => ['identifier', 'judged'].includes(at.form.kind))
  .map(({ row, operation, at }): Judge & { row: string } => {
    const key = String(at.path[0])
    const plain = (operation.input?.form.is === 'query' ? plainInQuery : plainAt)[key] ?? 'a-b'
    return { row, ...(judges[row] ?? { plain, read: (typed) => readWith(operation, at, typed) }) }
  })

test('every text that the function of an operation judges has a row', () => {
  const judged = fields.filter(({ at }) => at.form.kind === 'judged' && plainAt[String(at.path[0])] === undefined)
  expect(Object.keys(judges).sort()).toEqual(judged.map(({ row }) => row).sort())
})

/**
 * Names as agents report them, which stay in the form of Unicode that the agent chose, and addresses, which are bytes.
 */
const keepForm = ['POST /w/:slug/mutes item', 'PATCH /w/:slug/rules statuses', 'POST /w/:slug/channels url']

test.each([...new Map(rows.map((row) => [row.row, row])).values()])(
  '$row',
  ({ row, plain, read, isCode, isSecret }) => {
    const expected = read(plain)
    for (const { says, write } of looksAtEnds)
      expect([says, read(write(plain))]).toEqual([says, isSecret ? done(write(plain)) : expected])
    for (const { code: character, says, write } of looksInside) {
      const typed = write(plain)
      const got = read(typed)
      if (isSecret) expect([says, got]).toEqual([says, done(typed)])
      else if (isCode) expect([says, got]).toEqual([says, expected])
      // In a filter, every space separates terms.
      else if (got.ok) expect([character, plain]).toEqual(['U+00A0', plainAt.q])
      else expect(got.message).toContain(character)
    }
    for (const { says, write } of visibleLooks.filter((one) => one.write(plain) !== plain)) {
      const got = read(write(plain))
      if (isCode) expect([says, got]).toEqual([says, expected])
      else expect([says, got]).not.toEqual([says, expected])
    }
    if (keepForm.includes(row)) return
    const [composed, decomposed] = [`${plain}\u00e9`, `${plain}e\u0301`]
    if (isSecret) expect(read(decomposed)).not.toEqual(read(composed))
    else expect(readWords(read(decomposed))).toEqual(readWords(read(composed)))
  },
)

/** A refusal may repeat what was typed. */
const readWords = (read: Read): unknown => (read.ok ? read : { ...read, message: read.message.normalize('NFC') })

const inQueries = fields.filter(({ operation }) => operation.input?.form.is === 'query')

test.each(inQueries.filter(({ at }) => at.form.kind === 'sought'))(
  '$row: what nobody sees in words that are looked for does not count',
  ({ operation, at }) => {
    const sought = (typed: string) => {
      const read = readWith(operation, at, typed)
      return read.ok && foldedText(String((read.value as Record<string, unknown>)[String(at.path[0])]))
    }
    for (const { says, write } of looksAtEnds) expect([says, sought(write('web-1'))]).toEqual([says, 'web-1'])
    for (const { code: character, write } of looksInside)
      expect(sought(write('web-1'))).toBe(character === 'U+00A0' ? 'web -1' : 'web-1')
  },
)

test.each(inQueries.filter(({ at }) => at.form.kind === 'exact'))(
  '$row: a text of an agent stays as the agent sent it',
  ({ operation, at }) => {
    for (const { write } of [...looksAtEnds, ...looksInside].filter(({ says }) => !says.includes('line break')))
      expect(readWith(operation, at, write('web-1'))).toMatchObject({ value: { [String(at.path[0])]: write('web-1') } })
  },
)

/** The values of queries that are words, numbers or flags, each with one that is not the default. */
const chosen = takingQuery.flatMap((operation) => {
  const form = operation.input?.form
  const values = form?.is === 'query' ? Object.entries(form.fields) : []
  return values.flatMap(([key, { is, ...more }]) => {
    const plain = is === 'number' ? '3' : is === 'flag' ? 'true' : 'words' in more ? more.words : undefined
    return plain === undefined
      ? []
      : [plain].flat().map((word) => ({ row: `${operation.route} ${key}`, operation, key, word }))
  })
})

test.each(chosen)('$row: $word with something at its ends that nobody sees is $word', ({ operation, key, word }) => {
  const read = (typed: string) => operation.input?.({ [key]: typed, ...(key !== 'at' && { at: '2026-11-21' }) }, '')
  for (const { says, write } of looksAtEnds) expect([says, read(write(word))]).toEqual([says, read(word)])
  expect(read(word)).toMatchObject({ [key]: expect.anything() })
})
