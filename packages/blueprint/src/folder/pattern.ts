/**
 * The patterns of `.gitignore`, as git reads them: `*`, `?`, `[a-z]`, `[!a]`, `[[:digit:]]`, `**` and `\`. A pattern
 * that can match no file is refused, since its author meant something else. Matching takes at most as many steps as the
 * length of the pattern times the length of the path.
 */

/** A pattern of an ignore rule. */
export interface IgnorePattern {
  /** True if the pattern ends in `/`, so that it matches folders only. */
  readonly foldersOnly: boolean
  /**
   * True if the pattern matches this path, which has no `/` at its end. It is compared by bytes, as in git, and by
   * characters, as people expect. If the two results differ, the result is `ifInDoubt`.
   */
  readonly matches: (path: string, ifInDoubt: boolean) => boolean
}
type PatternRead =
  | { readonly ok: true; readonly pattern: IgnorePattern }
  /** `why` is the end of a sentence that begins with the pattern. */
  | { readonly ok: false; readonly why: string }

/** Reads one pattern, without the `!` before it. */
export function readPattern(written: string): PatternRead {
  const foldersOnly = written.endsWith('/')
  const pattern = foldersOnly ? written.slice(0, -1) : written
  const isBound = pattern.includes('/')
  const plain = pattern.replace(/^\//, '')
  const why = wrongWithNames(plain)
  if (why !== undefined) return { ok: false, why }
  const byChar = stepsOf(charsOf(plain), isBound)
  if (typeof byChar === 'string') return { ok: false, why: byChar }
  const byByte = stepsOf(bytesOf(plain), isBound)
  const matches: IgnorePattern['matches'] = (path, ifInDoubt) => {
    const subject = isBound ? path : path.slice(path.lastIndexOf('/') + 1)
    const matched = fits(byChar, charsOf(subject))
    if (matched === ifInDoubt || isAscii(subject) || typeof byByte === 'string') return matched
    return fits(byByte, bytesOf(subject))
  }
  return { ok: true, pattern: { foldersOnly, matches } }
}

function wrongWithNames(pattern: string): string | undefined {
  if (pattern === '') return 'names nothing'
  const names = pattern.split('/')
  if (names.includes('')) return 'has two slashes in a row, so it matches nothing'
  if (names[0] === '.' && names.length > 1)
    return `begins with "./", so it matches nothing; write "/${names.slice(1).join('/')}"`
  return names.includes('.') || names.includes('..') ? 'has "." or ".." as a name, so it matches nothing' : undefined
}

/** One unit of a path: a character or a byte, as a number. */
type PathUnit = number
type Range = readonly [from: PathUnit, to: PathUnit]
type Step =
  | { readonly is: 'one'; readonly ranges: readonly Range[]; readonly negated?: boolean; readonly noSlash?: boolean }
  /** Any number of units. */
  | { readonly is: 'many'; readonly noSlash: boolean }
  /** The two steps after this step may be skipped: those of `**` and of the slash behind it. */
  | { readonly is: 'skip' }

const code = (sign: string): PathUnit => sign.codePointAt(0) ?? 0
const [slash, star, backslash, dash] = [code('/'), code('*'), code('\\'), code('-')]
const [question, open, close, colon, bang, caret] = [code('?'), code('['), code(']'), code(':'), code('!'), code('^')]
const specialCharacters: ReadonlySet<PathUnit | undefined> = new Set([star, backslash, question, open])

/**
 * Returns the steps of a pattern, or the reason why it cannot be read. If the pattern has a slash (`isBound`), `?`, `*`
 * and classes match no slash.
 */
function stepsOf(signs: readonly PathUnit[], isBound: boolean): Step[] | string {
  const steps: Step[] = []
  // Git matches the part from the first special character on separately, so `**` at its start counts as a whole name.
  const start = signs.findIndex((sign) => specialCharacters.has(sign))
  for (let at = 0; at < signs.length; at++) {
    const [sign, next] = [signs[at] as PathUnit, signs[at + 1]]
    if (sign === star) {
      const from = at
      while (signs[at + 1] === star) at++
      const isAlone = at > from && (from === start || signs[from - 1] === slash) && isEndOfName(signs, at + 1)
      if (isBound && isAlone && signs[at + 1] === slash) steps.push({ is: 'skip' })
      steps.push({ is: 'many', noSlash: isBound && !isAlone })
    } else if (sign === question) {
      steps.push({ is: 'one', ranges: [], negated: true, noSlash: isBound })
    } else if (sign === open) {
      const read = readClass(signs, at + 1)
      if ('why' in read) return read.why
      at = read.end
      steps.push({ is: 'one', ranges: read.ranges, negated: read.negated, noSlash: isBound })
    } else if (sign === backslash) {
      const why = wrongWithEscape(next)
      if (why !== undefined) return why
      at++
      steps.push(stepOfUnit(next as PathUnit))
    } else steps.push(stepOfUnit(sign))
  }
  return steps
}

const stepOfUnit = (sign: PathUnit): Step => ({ is: 'one', ranges: [[sign, sign]] })
const isEndOfName = (signs: readonly PathUnit[], at: number): boolean =>
  at === signs.length || signs[at] === slash || (signs[at] === backslash && signs[at + 1] === slash)

/**
 * Checks the character after a backslash. A backslash before a letter or a digit was probably meant to separate
 * folders, as on Windows, so it is refused. A backslash at the end of a pattern is refused, too.
 */
function wrongWithEscape(sign: PathUnit | undefined): string | undefined {
  if (sign === undefined) return 'ends in a backslash; write "\\\\" for the sign itself'
  const char = String.fromCodePoint(sign)
  return /[0-9A-Za-z]/.test(char) ? `has a backslash before "${char}"; folders are separated by "/"` : undefined
}

type ClassRead =
  | { readonly end: number; readonly negated: boolean; readonly ranges: readonly Range[] }
  | { readonly why: string }

/** Reads a class such as `[a-z]`. `from` is the index after `[`; `end` of the result is the index of `]`. */
function readClass(signs: readonly PathUnit[], from: number): ClassRead {
  const negated = signs[from] === bang || signs[from] === caret
  const first = negated ? from + 1 : from
  const ranges: Range[] = []
  /** The previous unit, if a range can begin with it. */
  let before: PathUnit | undefined
  for (let at = first; at < signs.length; at++) {
    const sign = signs[at] as PathUnit
    if (sign === close && at > first) return { end: at, negated, ranges }
    const named = sign === open && signs[at + 1] === colon ? nameAt(signs, at + 2) : undefined
    if (named !== undefined) {
      const members = named in classes ? classes[named] : undefined
      if (!members) return { why: `names the class [:${named}:], which does not exist; known are ${knownClasses}` }
      ranges.push(...members)
      at += named.length + 3
      before = undefined
      continue
    }
    const isRange = sign === dash && before !== undefined && at + 1 < signs.length && signs[at + 1] !== close
    if (isRange) at++
    if (signs[at] === backslash) {
      const why = wrongWithEscape(signs[++at])
      if (why !== undefined) return { why }
    }
    const to = signs[at] as PathUnit
    const range: Range = isRange ? [before as PathUnit, to] : [to, to]
    if (range[0] > range[1])
      return {
        why: `has the range ${range.map((s) => String.fromCodePoint(s)).join('-')}, which is the wrong way round`,
      }
    ranges.push(range)
    before = isRange ? undefined : to
  }
  return { why: 'has a "[" without a "]"; write "\\[" for the sign itself' }
}

/** The name of a class such as `[:digit:]` that begins at `from`; undefined if no `:]` follows. */
function nameAt(signs: readonly PathUnit[], from: number): string | undefined {
  const end = signs.indexOf(close, from)
  if (end <= from || signs[end - 1] !== colon) return undefined
  return String.fromCodePoint(...signs.slice(from, end - 1))
}

const charactersIn = (text: string): Range[] =>
  text.split(' ').map((range) => [code(range), code(range.at(-1) ?? range)])
/** The classes that git knows. They contain only ASCII. */
const classes: Readonly<Record<string, readonly Range[]>> = {
  alnum: charactersIn('09 AZ az'),
  alpha: charactersIn('AZ az'),
  blank: [
    [0x09, 0x09],
    [0x20, 0x20],
  ],
  cntrl: [
    [0x00, 0x1f],
    [0x7f, 0x7f],
  ],
  digit: charactersIn('09'),
  graph: charactersIn('!~'),
  lower: charactersIn('az'),
  print: [[0x20, 0x7e]],
  punct: charactersIn('!/ :@ [` {~'),
  space: [
    [0x09, 0x0d],
    [0x20, 0x20],
  ],
  upper: charactersIn('AZ'),
  xdigit: charactersIn('09 AF af'),
}
const knownClasses = Object.keys(classes).join(', ')

/** True if the steps match all units. All alternatives are followed at once, without backtracking. */
function fits(steps: readonly Step[], signs: readonly PathUnit[]): boolean {
  let reached = reach(steps, new Uint8Array(steps.length + 1), 0)
  for (const sign of signs) {
    const next = new Uint8Array(steps.length + 1)
    let at = reached.indexOf(1)
    if (at < 0) return false
    for (; at < steps.length; at++) {
      const step = steps[at] as Step
      if (!reached[at] || step.is === 'skip' || (sign === slash && step.noSlash)) continue
      if (step.is === 'many') reach(steps, next, at)
      else if (isIn(step.ranges, sign) !== (step.negated ?? false)) reach(steps, next, at + 1)
    }
    reached = next
  }
  return reached[steps.length] === 1
}

const isIn = (ranges: readonly Range[], sign: PathUnit): boolean =>
  ranges.some(([from, to]) => from <= sign && sign <= to)

/** Marks a position between steps, and the positions that can be reached from it without another unit. */
function reach(steps: readonly Step[], places: Uint8Array, from: number): Uint8Array {
  for (let at = from; !places[at]; at++) {
    places[at] = 1
    const step = steps[at]
    if (step?.is === 'skip') reach(steps, places, at + 3)
    else if (step?.is !== 'many') break
  }
  return places
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)
const charsOf = (text: string): PathUnit[] => [...text].map(code)
const bytesOf = (text: string): PathUnit[] => [...new TextEncoder().encode(text)]
