/**
 * Carries out the operations on blueprints, install codes and bots. Uploads and downloads have separate routes
 * (web/routes/files.ts).
 */
import { blueprints, type NewCode } from '@svc/api'
import { limits } from '@svc/protocol'
import { deleteBot, listBots, revokeBot } from '../../fleet/bots/store.ts'
import { readProducts } from '../../fleet/products/store.ts'
import { requireFound } from '../../platform/refusal.ts'
import { blueprintPage, deleteVersion, listBlueprints, versionPage } from '../../updates/blueprints/store.ts'
import { findCode, listCodes, revokeCode, shownCode } from '../../updates/installs/codes.ts'
import { type IssuedCode, issueCodes } from '../../updates/installs/issue.ts'
import { bindChange, bindReading } from '../routing/operations.ts'

/** A code that was just issued, with the code itself. */
const newCode = ({ row, code, warnings }: IssuedCode, now: number): NewCode => ({
  ...shownCode({ ...row, agent: null, issuer: 'admin' }, now),
  code,
  warnings,
})

const codeOperations = [
  bindReading(blueprints.codes, ({ deps, workspace, now }) => listCodes(deps.store.db, workspace, now)),
  bindChange(
    blueprints.issueCodes,
    ({ workspace, ...ctx }, { agent: agentName, ...wanted }) => issueCodes(ctx, workspace, { ...wanted, agentName }),
    {
      answer: (issued, { now }) => ({
        ...newCode(issued[0], now),
        codes: issued.map((one) => newCode(one, now)),
      }),
    },
  ),
  bindReading(blueprints.showCode, async ({ deps, workspace, now, params }) =>
    requireFound(await findCode(deps.store.db, workspace, params.id, now), 'code_unknown'),
  ),
  bindChange(blueprints.revokeCode, ({ workspace, params, ...ctx }) => revokeCode(ctx, workspace, params.id), {
    answer: () => ({ ok: true }),
  }),
]

const botOperations = [
  bindReading(blueprints.bots, async ({ deps, workspace, now }) => ({
    now,
    most: limits.botsPerWorkspace,
    rows: await listBots(deps.store.db, workspace, now),
  })),
  // Like the other changes of bots below, this notifies the pages of the agents that act as the bot.
  bindChange(blueprints.revokeBot, ({ workspace, params: { id }, ...ctx }) => revokeBot(ctx, workspace, { id }), {
    agents: ({ agentIds }) => agentIds,
    answer: ({ revoked }) => ({ revoked }),
  }),
  bindChange(
    blueprints.revokeBotToken,
    ({ workspace, params: { id, token }, ...ctx }) => revokeBot(ctx, workspace, { id, tokenId: token }),
    { agents: ({ agentIds }) => agentIds, answer: ({ revoked }) => ({ revoked }) },
  ),
  bindChange(blueprints.deleteBot, ({ workspace, params, ...ctx }) => deleteBot(ctx, workspace, params.id), {
    agents: ({ agentIds }) => agentIds,
    answer: () => ({ ok: true }),
  }),
  bindReading(blueprints.products, ({ deps, workspace }) => readProducts(deps.store.db, workspace)),
]

export const blueprintOperations = [
  bindReading(blueprints.blueprints, async ({ deps, workspace, now }) => ({
    now,
    rows: await listBlueprints(deps.store.db, workspace),
  })),
  bindReading(blueprints.showBlueprint, async ({ deps, workspace, role, now, params }) => ({
    ...requireFound(await blueprintPage(deps.store.db, workspace, params.blueprint, now), 'blueprint_unknown'),
    canAct: role === 'admin',
  })),
  bindReading(blueprints.showVersion, async ({ deps, workspace, role, now, params }) => ({
    ...requireFound(
      await versionPage(deps.store.db, workspace, { name: params.blueprint, version: params.version }, now),
      'version_unknown',
    ),
    canAct: role === 'admin',
  })),
  bindChange(
    blueprints.deleteVersion,
    ({ workspace, params: { blueprint: name, version }, ...ctx }) => deleteVersion(ctx, workspace, { name, version }),
    { answer: () => ({ ok: true }) },
  ),
  ...codeOperations,
  ...botOperations,
]
