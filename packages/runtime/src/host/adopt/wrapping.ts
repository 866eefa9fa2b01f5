/**
 * Puts `svc-exec` in front of the command of a crontab line, and removes it again. The functions are pure. If the file
 * of `svc-exec` is missing, the command runs as before.
 */

/** The maximum number of bytes of a line. Debian's cron refuses the whole table if one command has 1,000. */
export const maxLineBytes = 990

/** A line of a crontab, split in front of its command. */
interface LineParts {
  /** The times, with all blanks around them. */
  readonly before: string
  readonly command: string
}

interface WrappedCommand {
  /** The absolute path of `svc-exec`. */
  readonly program: string
  readonly name: string
  readonly shell: string
  /** Options of `svc-exec`, such as `--log`. */
  readonly options?: string | undefined
}

/** Returns the line that runs the same command as a job. */
export function wrapLine({ before, command }: LineParts, { program, name, shell, options }: WrappedCommand): string {
  const [own, input] = cut(command)
  const call = [program, name, ...(options ? [options] : []), '--'].join(' ')
  return `${before}exec $([ -x ${program} ] && echo ${call}) ${shell} -c '${own.replaceAll("'", "'\\''")}'${input}`
}

/**
 * Splits a command where cron splits it, in front of the first `%` that is not written as `\%`. What follows is the
 * standard input of the command.
 */
function cut(command: string): readonly [command: string, input: string] {
  const [own = ''] = /^(?:\\[\s\S]|[^%\\])*\\?/.exec(command) ?? []
  return [own, command.slice(own.length)]
}

/** The characters of a path that have no special meaning for a shell or cron, so that the path needs no quotes. */
const plainCharacter = String.raw`[^\s%'"\\$\x60&|;<>()*?[\]{}#!~^]`
export const isUnquotedPath = (path: string): boolean => new RegExp(`^/${plainCharacter}*$`).test(path)

const callPattern = new RegExp(
  [
    String.raw`^(\s*(?:@\S+|\S+(?:[ \t]+\S+){4})[ \t]+)`,
    String.raw`exec \$\(\[ -x (/${plainCharacter}*/svc-exec) \] && echo \2 ([a-z0-9][a-z0-9._-]*)((?: ${plainCharacter}+)*?) --\)`,
    String.raw` (/${plainCharacter}+) -c '((?:[^']|'\\'')*)'(|%[\s\S]*)$`,
  ].join(''),
)

interface WrappedLine extends WrappedCommand {
  /** The line without `svc-exec`. */
  readonly text: string
}

/** Reads a line that `wrapLine` has made; undefined for any other line. */
export function unwrapLine(line: string): WrappedLine | undefined {
  const [all, before = '', program = '', name = '', options = '', shell = '', own = '', input = ''] =
    callPattern.exec(line) ?? []
  if (all === undefined) return undefined
  const command = `${own.replaceAll("'\\''", "'")}${input}`
  const wrap: WrappedCommand = { program, name, shell, ...(options !== '' && { options: options.trim() }) }
  return wrapLine({ before, command }, wrap) === line ? { ...wrap, text: `${before}${command}` } : undefined
}
