/**
 * Commands as people write them into a crontab, and a function that runs one as cron does. All of them run in a folder
 * that has the file `a b.txt` and the program `job.sh`.
 */
import { spawnSync } from 'node:child_process'

/** Each command with what it is an example of. Every shell that cron may start can run them. */
export const crontabCommands: readonly (readonly [what: string, command: string])[] = [
  ['a program', './job.sh one two'],
  ['a program that fails', './job.sh; exit 3'],
  ['no such program', './missing.sh'],
  ['a file that is no program', './"a b.txt"'],
  ['a list with a redirection', 'cd . && ./job.sh > /dev/null && echo done'],
  ['single quotes', "echo 'it is' 'two  blanks'"],
  ['a single quote in double quotes', `echo "it's"`],
  ['an escaped single quote', String.raw`echo it\'s 'a'\''b'`],
  ['only quotes', `''`],
  ['double quotes with a variable', 'X=1; echo "$X $X-2 \\$X"'],
  ['a dollar at the end', 'echo 5$'],
  ['a backslash', String.raw`echo 'a\b' "a\\b" a\\b`],
  ['a backslash at the end', 'echo a\\'],
  ['a percent sign in quotes', String.raw`echo 'a\%b'`],
  ['a date', String.raw`echo $(date -d @0 -u +\%Y-\%m-\%d)`],
  ['standard input', 'cat%first%second'],
  ['standard input with an escaped percent sign', String.raw`cat%50\% of 'it'%"end`],
  ['standard input after a quote', `cat -%it's`],
  ['standard input after two backslashes', String.raw`echo a\\%b`],
  ['a command that is only input', '%echo no'],
  ['a pipe', 'printf "b\\na\\n" | sort | tr a-z A-Z'],
  ['a pipe that fails', 'true | false'],
  ['backquotes', 'echo `echo inner` $(echo "$(echo deep)")'],
  ['arithmetic', 'echo $((6 * 7))'],
  ['a glob', 'echo *.txt'],
  ['a comment', 'echo a # b'],
  ['a here-document', "cat <<'E'%no"],
  ['a subshell and a group', '(exit 4) || { echo $?; exit 5; }'],
  ['a loop', 'for f in a b; do echo "$f"; done'],
  ['a case', 'case x in x) echo yes;; esac'],
  ['a function', 'f() { echo "f $1"; }; f x'],
  ['a trap', "trap 'echo bye' EXIT; exit 6"],
  ['a signal', 'kill -TERM $$'],
  ['an assignment before a command', 'LC_ALL=C A="x y" sh -c \'echo "$A"\''],
  ['a program in the background', 'sleep 0.1 & wait $!; echo $?'],
  ['the name of the shell', 'echo "$0" $#'],
  ['an exec', 'exec ./job.sh ex'],
  ['not', '! true'],
  ['a word with brackets', '[ -f "a b.txt" ] && echo there'],
  ['blanks at both ends', '  echo   a  b   '],
  ['tabs', 'echo\ta\t"b\tc"'],
  ['other alphabets', 'echo größe 日本 "é"'],
  ['standard error', 'echo to-err >&2; echo to-out'],
  ['an unclosed quote', "echo 'a"],
  ['an unclosed parenthesis', 'echo $(date'],
  ['a semicolon too many', 'echo a;; echo b'],
  ['a carriage return', 'echo a\r'],
]

export interface ShellEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

/**
 * Runs the command of a line as Debian's cron does: it cuts the command at the first `%` without a backslash, gives the
 * rest as standard input, and starts the shell.
 */
export function runAsCron(
  command: string,
  shell: string,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): ShellEnd {
  let own = ''
  let at = 0
  for (let escaped = false; at < command.length && (escaped || command[at] !== '%'); at++) {
    const char = command[at] as string
    if (escaped && char === '%') own = own.slice(0, -1)
    own += char
    escaped = !escaped && char === '\\'
  }
  const input = at < command.length ? `${unescapeInput(command.slice(at + 1))}\n` : ''
  const { status, signal, stdout, stderr } = spawnSync(shell, ['-c', own], { cwd, env, input, argv0: shell })
  return { code: status, signal, out: stdout.toString(), err: stderr.toString() }
}

/** The standard input in a line: each `%` begins a line, but for those after a backslash. */
const unescapeInput = (input: string): string => input.replace(/\\%|%/g, (found) => (found === '%' ? '\n' : '%'))
