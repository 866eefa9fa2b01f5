/** Recognises `svc exec` with a command, of which only this code is loaded. Anything else goes to the complete program. */

/** True unless somebody asks for help: after `--` all words belong to the command, and a typo must not stop it. */
export const runsCommand = ([first, ...args]: readonly string[]): boolean =>
  first === 'exec' && (args.includes('--') || !args.some((arg) => arg === '--help' || arg === '-h'))
