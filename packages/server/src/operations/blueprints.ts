/** What the operations on blueprints, install codes and bots do. Uploads and downloads are routes of their own (web/bundles.ts). */
import { blueprints } from '@svc/api'
import { limits } from '@svc/protocol'
import { blueprintPage, deleteVersion, listBlueprints, versionPage } from '../blueprints/store.ts'
import { deleteBot, listBots, revokeBot } from '../bots/store.ts'
import { codeOf, issueCode, listCodes, revokeCode, shownCode } from '../installs/codes.ts'
import { productsOf } from '../products/store.ts'
import { acts, type Bound, looks } from '../web/kit/operations.ts'
import { found } from '../web/kit/refusal.ts'

export const issuedCode = acts(
  blueprints.issueCode,
  ({ db, workspace, by, now }, { blueprint, version, agent }) =>
    issueCode(db, workspace, { blueprint, version, agentName: agent }, by, now),
  {
    answer: ({ row, code, warnings }, { now }) => ({
      ...shownCode({ ...row, agent: null, issuer: 'admin' }, now),
      code,
      warnings,
    }),
  },
)
export const revokedCode = acts(
  blueprints.revokeCode,
  ({ db, workspace, by, now, params }) => revokeCode(db, workspace, params.id, by, now),
  { answer: () => ({ ok: true }) },
)

const codeOperations = [
  looks(blueprints.codes, ({ deps, workspace, now }) => listCodes(deps.store.db, workspace, now)),
  issuedCode,
  looks(blueprints.showCode, async ({ deps, workspace, now, params }) =>
    found(await codeOf(deps.store.db, workspace, params.id, now), 'code_unknown'),
  ),
  revokedCode,
]

/** The pages of the agents that acted as a bot hear of changes, too. */
const botOperations = [
  looks(blueprints.bots, async ({ deps, workspace, now }) => ({
    now,
    most: limits.botsPerWorkspace,
    rows: await listBots(deps.store.db, workspace, now),
  })),
  acts(
    blueprints.revokeBot,
    ({ db, workspace, by, now, params: { id } }) => revokeBot(db, workspace, { id }, by, now),
    { agents: ({ agentIds }) => agentIds, answer: ({ revoked }) => ({ revoked }) },
  ),
  acts(
    blueprints.revokeBotToken,
    ({ db, workspace, by, now, params: { id, token } }) => revokeBot(db, workspace, { id, tokenId: token }, by, now),
    { agents: ({ agentIds }) => agentIds, answer: ({ revoked }) => ({ revoked }) },
  ),
  acts(blueprints.deleteBot, ({ db, workspace, by, now, params }) => deleteBot(db, workspace, params.id, by, now), {
    agents: ({ agentIds }) => agentIds,
    answer: () => ({ ok: true }),
  }),
  looks(blueprints.products, ({ deps, workspace }) => productsOf(deps.store.db, workspace)),
]

export const blueprintOperations: readonly Bound[] = [
  looks(blueprints.blueprints, async ({ deps, workspace, now }) => ({
    now,
    rows: await listBlueprints(deps.store.db, workspace),
  })),
  looks(blueprints.showBlueprint, async ({ deps, workspace, role, now, params }) => ({
    ...found(await blueprintPage(deps.store.db, workspace, params.blueprint, now), 'blueprint_unknown'),
    canAct: role === 'admin',
  })),
  looks(blueprints.showVersion, async ({ deps, workspace, role, now, params }) => ({
    ...found(await versionPage(deps.store.db, workspace, params.blueprint, params.version, now), 'version_unknown'),
    canAct: role === 'admin',
  })),
  acts(
    blueprints.deleteVersion,
    ({ db, workspace, by, now, params: { blueprint: name, version } }) =>
      deleteVersion(db, workspace, { name, version }, by, now),
    { answer: () => ({ ok: true }) },
  ),
  ...codeOperations,
  ...botOperations,
]
