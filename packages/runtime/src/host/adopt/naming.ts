/** Proposes names for the jobs of a crontab. The functions are pure. */
import { isJobName } from '../jobs/paths.ts'

/** The longest name of a job. */
const longest = 63

/** The programs that only start another program, which gives the job its name. */
const starters: ReadonlySet<string> = new Set(
  'exec env sudo nice ionice nohup time timeout flock sh bash python python3 node perl php ruby'.split(' '),
)

/**
 * Returns the name of the job that this command becomes: the file name, without its ending, of the first word that says
 * what the command does. The result differs from all names in `taken`.
 */
export function jobNameOf(command: string, taken: ReadonlySet<string>): string {
  const name = nameIn(wordsOf(command)) ?? 'job'
  const free = (wanted: string) => isJobName(wanted) && !taken.has(wanted)
  if (free(name)) return name
  for (let n = 2; ; n++) {
    const ending = `-${n}`
    const other = `${name.slice(0, longest - ending.length)}${ending}`
    if (free(other)) return other
  }
}

interface Word {
  readonly text: string
  /** `between`: an operator between two commands; `redirect`: the next word is the name of a file. */
  readonly is: 'word' | 'between' | 'redirect'
}

function nameIn(words: readonly Word[]): string | undefined {
  for (let at = 0; at < words.length; at++) {
    const { text, is } = words[at] as Word
    if (is === 'redirect') at++
    else if (is === 'between') continue
    else if (text === 'cd' && words[at + 2]?.is === 'between') at += 2
    else if (/^-\w*c$/.test(text) && /\s/.test(words[at + 1]?.text ?? '')) {
      const inner = nameIn(wordsOf(words[at + 1]?.text ?? ''))
      if (inner !== undefined) return inner
      at++
    } else if (isAside(text)) continue
    else {
      const name = fitting(text)
      if (name !== undefined) return name
    }
  }
  return undefined
}

/** True for an assignment, an option, a number or a duration, and for a program that only starts another one. */
const isAside = (word: string): boolean =>
  /^\w+=/.test(word) ||
  word.startsWith('-') ||
  /^\d+(?:\.\d+)?[smhd]?$/.test(word) ||
  starters.has(word.slice(word.lastIndexOf('/') + 1))

/** Turns the path of a program into the name of a job; undefined if no character of it can begin a name. */
function fitting(path: string): string | undefined {
  const file = path.replace(/\/+$/, '').split('/').at(-1) ?? ''
  const name = file
    .replace(/(?<=.)\.[^.]*$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, longest)
  return name === '' ? undefined : name
}

/** Splits a command into words and operators, about as a shell does. Quotes are removed. */
function wordsOf(command: string): Word[] {
  const words: Word[] = []
  for (const [found] of command.matchAll(
    /\d*[<>]+&?\d*|&&|\|\||[;&|(){}!]|(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s;&|()<>])+/g,
  )) {
    if (/^\d*[<>]/.test(found)) words.push({ text: found, is: /&\d+$/.test(found) ? 'between' : 'redirect' })
    else if (/^[;&|(){}!]+$/.test(found)) words.push({ text: found, is: 'between' })
    else words.push({ text: found.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/g, '$1$2$3'), is: 'word' })
  }
  return words
}
