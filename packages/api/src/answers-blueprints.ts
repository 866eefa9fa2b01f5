/**
 * What the page and the service say to each other about blueprints, install codes and bots (2.9, 2.10). Part of answers.ts, whose
 * conventions hold here.
 *
 * Below /api/web/w/:slug (members see; `admin` marks what only admins may do):
 * GET    /blueprints                                              → Blueprints
 * POST   /blueprints  (the zip itself, Content-Type: application/zip, 20 MB at most)  admin → BlueprintVersion (201)
 *        refused: 400 bundle_refused with `findings`, 409 version_taken, 413 body_too_large
 * GET    /blueprints/:blueprint                                   → BlueprintPage
 * GET    /blueprints/:blueprint/versions/:version                 → BlueprintVersion         (…/bundle: the zip, admin)
 * DELETE /blueprints/:blueprint/versions/:version       admin     → {ok: true}               (409 version_in_use, the message names by what)
 * GET    /codes                                                   → InstallCode[]            (newest first: live ones, and those of the last 30 days)
 * POST   /codes {blueprint, version, agent?}            admin     → NewCode (201)            (agent: default a free name after the blueprint's)
 * GET    /codes/:id                                               → InstallCode              (`agent` is set once it is redeemed; a Frame with `list` tells when)
 * DELETE /codes/:id                                     admin     → {ok: true}               (revokes; 409 code_over when there is nothing to revoke)
 * GET    /bots                                                    → Bots
 * POST   /bots/:id/revoke                               admin     → {revoked: number}        (all tokens of the bot)
 * POST   /bots/:id/tokens/:token/revoke                 admin     → {revoked: number}
 * DELETE /bots/:id                                      admin     → {ok: true}               (with its tokens; frees one of the ten)
 * GET    /products                                                → WorkspaceProduct[]       (activation is the operator's)
 */
import type { Manifest } from '@svc/blueprint/manifest'
import type { Level } from '@svc/protocol'
import type { WishState } from './answers-updates.ts'

/** What is wrong with a bundle, and where: the entry of the archive and for the manifest its line, where they are known. */
export interface BundleFinding {
  file: string | null
  line: number | null
  column: number | null
  /** The rest of a sentence that begins with the file, or with "The bundle". */
  message: string
}

export interface Blueprints {
  now: number
  rows: BlueprintRow[]
}
export interface BlueprintRow {
  name: string
  /** The highest version by precedence, and its description. */
  latest: string
  description: string
  versions: number
  /** The last upload. */
  uploadedAt: number
  uploadedBy: string
  /** How many agents were installed from it. */
  agents: number
}
export interface BlueprintPage {
  now: number
  name: string
  createdAt: number
  /** Highest version first. */
  versions: BlueprintVersionRow[]
  /** By name. `running` as last reported, else what was installed. */
  agents: {
    name: string
    running: string
    previous: string | null
    /** The version that an admin wants it to run, and what became of that. */
    wished: string | null
    wishState: WishState
    level: Level | null
    seenAt: number | null
  }[]
  canAct: boolean
}
export interface BlueprintVersionRow {
  version: string
  description: string
  /** Bytes of the zip. */
  size: number
  sha256: string
  uploadedAt: number
  uploadedBy: string
  runtime: 'process' | 'compose'
  /** The svc that the machine needs for it, in words; null where any will do. Agents with an older one are left out. */
  neededSvc: string | null
  /** Names of the agents that run it, and of those that keep it as their previous one. */
  runs: string[]
  keeps: string[]
  /** Names of the agents for which it is wished. */
  wished: string[]
  /** Install codes for it that are still open. */
  codes: number
}
export interface BlueprintVersion extends BlueprintVersionRow {
  now: number
  blueprint: string
  manifest: Manifest
  /** What is in the zip. */
  files: { path: string; size: number; executable: boolean }[]
  canAct: boolean
}

/** `barred`: its time is not over, but whoever issued it is no admin any more; good again if they become one in time. */
export type InstallCodeState = 'live' | 'barred' | 'redeemed' | 'expired' | 'revoked'
export interface InstallCode {
  id: string
  blueprint: string
  version: string
  agentName: string
  issuedAt: number
  issuedBy: string
  expiresAt: number
  state: InstallCodeState
  redeemedAt: number | null
  revokedAt: number | null
  /** The agent that it made, by its name of now; null before, and when the agent was deleted. */
  agent: string | null
}
export interface NewCode extends InstallCode {
  /** Shown this once. */
  code: string
  /** What would refuse the installation as things are now, as sentences: a name taken, a product not activated, ten bots. */
  warnings: string[]
}

export interface Bots {
  now: number
  /** A workspace may have this many. */
  most: number
  rows: Bot[]
}
export interface Bot {
  id: string
  name: string
  product: string
  role: string
  createdAt: number
  /** One for each agent that acts as it; newest first. */
  tokens: BotToken[]
}
export type BotTokenState = 'active' | 'revoked' | 'expired'
export interface BotToken {
  id: string
  agent: string
  scopes: string[]
  state: BotTokenState
  issuedAt: number
  expiresAt: number
  revokedAt: number | null
  /** To the minute; null when no product has asked about it yet. */
  lastUsedAt: number | null
}
export interface WorkspaceProduct {
  id: string
  origin: string
  /** Null: the operator has not activated it for this workspace. */
  activatedAt: number | null
  bots: number
}
