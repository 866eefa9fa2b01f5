/** Makes the command lines that the page shows for pasting on an agent's machine. */

/** Quotes a word for a POSIX shell. A `~/` at the start of the word still means the home folder. */
export function shellWord(word: string): string {
  if (word === '') return "''"
  if (/^[\w@%+=:,./~-]+$/.test(word) && !/.~/.test(word)) return word
  const home = /^~\//.exec(word)?.[0] ?? ''
  return `${home}'${word.slice(home.length).replaceAll("'", "'\\''")}'`
}

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
  `python3 svc.pyz connect --url ${shellWord(baseUrl)} --dir ${shellWord(folder)} --name ${shellWord(name)}`

/**
 * The line that shows the cron jobs of a machine as one agent. It asks before it changes the crontab, asks for the
 * token without showing it, and starts to report.
 */
export const adoptLine = (baseUrl: string, name: string): string =>
  `python3 svc.pyz adopt --url ${shellWord(baseUrl)} --name ${shellWord(name)}`

/** The line that sends reports of an agent until a person stops it. */
export const reportLine = (folder: string): string => `python3 svc.pyz report --dir ${shellWord(folder)}`

/**
 * The line that asks for the install code and the secrets, and installs the agent into a folder with its name (2.9).
 */
export const initLine = (baseUrl: string): string => `python3 svc.pyz init --url ${shellWord(baseUrl)}`

/**
 * The line for an installation without a person. It reads the install code from a file, so that the code is neither an
 * argument nor in the shell's history.
 */
export const unattendedLine = (baseUrl: string): string => `${initLine(baseUrl)} --yes --start < code.txt`

/** The line that starts an installed agent now and at every boot, as a service of the user's account. */
export const serviceLine = (folder: string): string =>
  `python3 svc.pyz service install --start --dir ${shellWord(folder)}`

/** The line that starts an installed agent in the terminal. */
export const runLine = (folder: string): string => `python3 svc.pyz run --dir ${shellWord(folder)}`

/** The line that writes a status file into the current folder. */
export const statusLine = (status: string): string => `echo ${shellWord(status)} > status.json`
