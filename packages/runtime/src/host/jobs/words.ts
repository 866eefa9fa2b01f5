/**
 * Finds the calls of `svc exec` in the command of a crontab line. It splits the command into words as a shell does, but
 * expands nothing.
 */

/** The words of a command that is not a list, pipe or group. */
interface SimpleCommand {
  readonly words: readonly string[]
  /** True if its output becomes words of the command after it: it is inside `$(…)`. */
  readonly isInside: boolean
}

/** Returns the arguments of each call of `svc exec` in a command. */
export function callsIn(command: string): (readonly string[])[] {
  const all = split(command)
  return all.flatMap(({ words, isInside }, at) => {
    const start = words.findIndex((word) => !isAssignment(word) && !keywords.has(word))
    const first = nameOf(words[start] ?? '')
    const rest = words.slice(start)
    const runs = runners.has(first) || (isInside && first === 'echo')
    const called = runs ? callAt(rest) : callAt(rest) === 0 ? 0 : -1
    if (called < 0) return runs ? rest.filter((word) => /\s/.test(word) && word.includes('svc')).flatMap(callsIn) : []
    const args = rest.slice(called + (nameOf(rest[called] ?? '') === 'svc-exec' ? 1 : 2))
    // A crontab line that svc wrapped names the command behind the brackets.
    return [isInside && args.at(-1) === '--' ? [...args, ...(all[at + 1]?.words ?? [])] : args]
  })
}

/** Returns the position of `svc-exec`, or of `svc` before `exec`; -1 if there is none. */
const callAt = (words: readonly string[]): number =>
  words.findIndex((word, at) => {
    const name = nameOf(word)
    return name === 'svc-exec' || (/^svc(?:\.pyz)?$/.test(name) && words[at + 1] === 'exec')
  })

const nameOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1)
const isAssignment = (word: string): boolean => /^[A-Za-z_]\w*=/.test(word)

/** Words of a shell that stand before a command. */
const keywords = new Set(['!', '{', 'if', 'then', 'else', 'elif', 'do', 'while', 'until'])

/** Programs that run, on this machine, the command that their arguments name. */
const runners = new Set([
  ...['exec', 'env', 'sudo', 'doas', 'su', 'runuser', 'nice', 'ionice', 'chrt', 'taskset', 'nohup', 'setsid'],
  ...['time', 'timeout', 'flock', 'chronic', 'cronic', 'stdbuf', 'systemd-cat', 'systemd-run', 'systemd-inhibit'],
  ...['sh', 'bash', 'dash', 'ksh', 'zsh', 'busybox', 'node', 'python', 'python3', 'eval'],
])

function split(text: string): SimpleCommand[] {
  const all: SimpleCommand[] = []
  const inside: boolean[] = []
  let words: string[] = []
  let word: string | undefined
  const endWord = () => {
    if (word !== undefined) words.push(word)
    word = undefined
  }
  const endCommand = () => {
    endWord()
    if (words.length > 0) all.push({ words, isInside: inside.at(-1) === true })
    words = []
  }
  for (let at = 0; at < text.length; ) {
    const quoted = quotedAt(text, at)
    const char = text[at] ?? ''
    if (quoted) word = (word ?? '') + quoted.word
    else if (/[ \t]/.test(char)) endWord()
    else if (char === '#' && word === undefined) break
    else if (char === '(') {
      const substitutes = word?.endsWith('$') === true
      if (substitutes) word = word === '$' ? undefined : word?.slice(0, -1)
      endCommand()
      inside.push(substitutes)
    } else if (char === ')') {
      endCommand()
      inside.pop()
    } else if (/[;|&\n`]/.test(char) && !(char === '&' && /[<>]$/.test(word ?? ''))) endCommand()
    else word = (word ?? '') + char
    at = quoted?.end ?? at + 1
  }
  endCommand()
  return all
}

/**
 * The quoted part of a word that begins at this position, and the position at which it ends; undefined if none begins
 * there.
 */
function quotedAt(text: string, at: number): { readonly word: string; readonly end: number } | undefined {
  const char = text[at]
  if (char === '\\') return { word: text[at + 1] ?? '', end: at + 2 }
  if (char !== "'" && char !== '"') return undefined
  let word = ''
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === char) return { word, end: end + 1 }
    if (char === '"' && text[end] === '\\' && /["\\$`]/.test(text[end + 1] ?? '')) end++
    word += text[end]
  }
  return { word, end: text.length }
}
