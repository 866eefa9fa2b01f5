/** `svc account`: shows or changes the AI account that the agent's folder stores and the agent's reports name (2.1). */
import { Command } from 'commander'
import { withTurn } from '../../machine/files/lock.ts'
import { examples } from '../../machine/hint.ts'
import { clearAccount, readAccount, setAccount } from '../../state/account.ts'
import { type CommonOptions, existingFolder, withCommonOptions } from '../kit/folder.ts'
import { exits, printResult, Refusal } from '../kit/output.ts'

type AccountOptions = CommonOptions & { readonly org?: string; readonly plan?: string; readonly email?: string }

export const account = (): Command =>
  new Command('account')
    .summary('set the AI account of this agent')
    .description(
      "Sets the AI account that this agent's reports name. It is stored in the agent's folder. Only what you set here is sent; nothing is looked up.",
    )
    .helpCommand(false)
    .addHelpText('after', examples('account set --org "Example Ltd" --plan team --email ops@example.com'))
    .addCommand(
      withCommonOptions(new Command('set'))
        .summary('set the account, or a part of it')
        .option('--org <name>', 'the organisation')
        .option('--plan <name>', 'the plan')
        .option('--email <address>', 'the address the account is known by')
        .action(({ dir, json, org, plan, email }: AccountOptions) => {
          const parts = { ...(org && { org }), ...(plan && { plan }), ...(email && { email }) }
          if (Object.keys(parts).length === 0)
            throw new Refusal('Name at least one of --org, --plan, --email.', exits.usage)
          const folder = existingFolder(dir)
          const account = withTurn(folder, 'svc account set', () => setAccount(folder, parts))
          printResult(json, account, () => lines(account))
        }),
    )
    .addCommand(
      withCommonOptions(new Command('clear'))
        .summary('remove the account from reports')
        .action(({ dir, json }: CommonOptions) => {
          const folder = existingFolder(dir)
          const changed = withTurn(folder, 'svc account clear', () => clearAccount(folder))
          printResult(json, { changed }, () =>
            changed ? 'Reports no longer name an account.' : 'There was no account.',
          )
        }),
    )
    .addCommand(
      withCommonOptions(new Command('show'))
        .summary('show the account')
        .action(({ dir, json }: CommonOptions) => {
          const account = readAccount(existingFolder(dir))
          printResult(json, account ?? null, () => (account ? lines(account) : 'Reports name no account.'))
        }),
    )

const lines = (parts: object): string[] => Object.entries(parts).map(([key, value]) => `${key}: ${value}`)
