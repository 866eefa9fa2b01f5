/** Makes the command lines that the page shows for pasting on an agent's machine. */
import { trimInvisible } from '@svc/protocol'

/** Quotes a word for a POSIX shell. A `~/` at the start of the word still means the home folder. */
export function shellWord(word: string): string {
  if (word === '') return "''"
  if (/^[\w@%+=:,./~-]+$/.test(word) && !/.~/.test(word)) return word
  const home = /^~\//.exec(word)?.[0] ?? ''
  return `${home}'${word.slice(home.length).replaceAll("'", "'\\''")}'`
}

/** The option that names a folder; nothing for the current one. */
const dirOption = (folder: string): string => (folder === '.' ? '' : ` --dir ${shellWord(folder)}`)

/** The two lines that download the program `svc.pyz` into the current folder and make it the command `svc`. */
export const downloadLines = (baseUrl: string): string =>
  [`curl -fsSO ${shellWord(`${baseUrl}/cli/svc.pyz`)}`, 'python3 svc.pyz self install'].join('\n')

/**
 * The line that compares the downloaded `svc.pyz` with the checksum that the service serves. `sed` adds a space before
 * the file name, because `shasum` requires two.
 */
export const checkLine = (baseUrl: string): string =>
  `curl -fsS ${shellWord(`${baseUrl}/cli/svc.pyz.sha256`)} | sed 's/ /  /' | $(command -v sha256sum || echo shasum -a 256) -c`

/** The line that asks for an agent's token without showing it, sends one report to test it, and stores it. */
export const connectLine = (baseUrl: string, name: string, folder: string): string =>
  `python3 svc.pyz connect --url ${shellWord(baseUrl)}${dirOption(folder)} --name ${shellWord(name)}`

/**
 * The lines that connect an agent: they download the program, install it as the command `svc`, and connect the agent
 * with its token. `echo` is a part of each shell, so the token is not in the list of processes. Each line begins with a
 * space, because many shells leave such lines out of their history.
 */
export const connectBlock = (baseUrl: string, { name, token }: { name: string; token: string }): string =>
  withoutHistory(downloadLines(baseUrl), `echo ${token} | ${connectLine(baseUrl, name, '.')} --yes --token-file -`)

/**
 * The lines that connect the cron jobs of a machine. The line with the token asks nothing, and does not change the
 * crontab. The last line asks whether svc may change the lines of the crontab.
 */
export const adoptBlock = (baseUrl: string, { name, token }: { name: string; token: string }): string =>
  withoutHistory(
    downloadLines(baseUrl),
    `echo ${token} | ${adoptLine(baseUrl, name)} --only jobs --yes --token-file -`,
    'python3 svc.pyz adopt',
  )

const withoutHistory = (...lines: string[]): string => lines.join('\n').replace(/^/gm, ' ')

/**
 * The lines that let svc start the program of an agent, now and at every boot. The first line adds the program to the
 * manifest, unless the manifest has one. A shell runs a command that is more than plain words.
 */
export function keepBlock(command: string): string {
  const words = trimInvisible(command).split(/\s+/)
  const simple = words.every((word) => /^[\w@%+:,./-]+$/.test(word))
  const runtime = `runtime: {kind: process, command: ${JSON.stringify(simple ? words : ['sh', '-c', trimInvisible(command)])}}`
  const add = `grep -q '^runtime:' svc.agent.yaml || printf '\\n%s\\n' ${shellWord(runtime)} >> svc.agent.yaml`
  return [add, serviceLine('.')].join('\n')
}

/**
 * The line that connects the cron jobs of a machine as one agent. It asks before it changes the crontab, and asks for
 * the token without showing it.
 */
export const adoptLine = (baseUrl: string, name: string): string =>
  `python3 svc.pyz adopt --url ${shellWord(baseUrl)} --name ${shellWord(name)}`

/** The line that sends reports of an agent until a person stops it. */
export const reportLine = (folder: string): string => `python3 svc.pyz report${dirOption(folder)}`

/**
 * The line that asks for the install code and the secrets, and installs the agent into a folder with its name (2.9).
 */
export const initLine = (baseUrl: string): string => `python3 svc.pyz init --url ${shellWord(baseUrl)}`

/**
 * The line that installs an agent with this code and starts it, without questions. It begins with a space so that
 * shells do not keep the code in their history.
 */
export const initWithCodeLine = (baseUrl: string, code: string): string =>
  ` echo ${code} | ${initLine(baseUrl)} --yes --start`

/**
 * The line for an installation without a person. It reads the install code from a file, so that the code is neither an
 * argument nor in the shell's history.
 */
export const unattendedLine = (baseUrl: string): string => `${initLine(baseUrl)} --yes --start < code.txt`

/** The line that starts an installed agent now and at every boot, as a service of the user's account. */
export const serviceLine = (folder: string): string => `python3 svc.pyz service install --start${dirOption(folder)}`

/** The line that starts an installed agent in the terminal. */
export const runLine = (folder: string): string => `python3 svc.pyz run${dirOption(folder)}`

/** The line that writes a status file into the current folder. */
export const statusLine = (status: string): string => `echo ${shellWord(status)} > status.json`

/** The files of sdk/ for the languages of programs, as the service serves them. */
const files = { Python: 'svc_status.py', Node: 'svc-status.mjs' } as const

/** The line that copies the file for a program of this language into the current folder. */
export const copyLine = (baseUrl: string, language: keyof typeof files): string =>
  `curl -fsSO ${shellWord(`${baseUrl}/help/sdk/${files[language]}`)}`

/** The lines with which a program writes its status. `folder` is empty for a program that the runtime starts. */
export function programLines(language: keyof typeof files, { folder, name }: { folder: string; name: string }): string {
  const at = folder === '' ? '' : JSON.stringify(folder)
  const says = JSON.stringify(`${name} works`)
  return language === 'Python'
    ? `from svc_status import Status\nStatus(${at}).ok(${says})`
    : `import { Status } from './${files.Node}'\nnew Status(${at}).ok(${says})`
}
