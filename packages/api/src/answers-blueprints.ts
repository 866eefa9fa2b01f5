/**
 * What the service answers about blueprints, install codes and bots (2.9, 2.10), by the conventions of answers.ts. An upload is refused
 * with 400 `bundle_refused` and `findings`, 409 `version_taken` or 413 `body_too_large` (20 MB); deleting a version with 409
 * `version_in_use`, whose message names what uses it; revoking a code with 409 `code_over`. Codes are listed newest first.
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
