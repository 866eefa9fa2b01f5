/**
 * Answers of the service about blueprints, install codes and bots (2.9, 2.10), by the conventions of answers.ts. An
 * upload is refused with 400 `bundle_refused` and `findings`, 409 `version_taken` or 413 `body_too_large` (20 MB);
 * deleting a version with 409 `version_in_use`, whose message names what uses it; revoking a code with 409 `code_over`.
 * Codes are listed newest first.
 */
import type { Manifest } from '@svc/blueprint/manifest'
import type { Level } from '@svc/protocol'
import type { WishState } from './answers-updates.ts'

/**
 * Something wrong with a bundle: the entry of the archive and, in the manifest, its line and column, if they are known.
 */
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
  /** The highest version by precedence. `description` belongs to it. */
  latest: string
  description: string
  versions: number
  /** The time of the last upload. */
  uploadedAt: number
  uploadedBy: string
  /** The number of agents that were installed from it. */
  agents: number
}
export interface BlueprintPage {
  now: number
  name: string
  createdAt: number
  /** Highest version first. */
  versions: BlueprintVersionRow[]
  /** The agents of this blueprint, by name. `running` is as last reported, else what was installed. */
  agents: {
    name: string
    running: string
    previous: string | null
    /** The version that an admin wants it to run. `wishState` says how far that is. */
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
  /** The size of the zip in bytes. */
  size: number
  sha256: string
  uploadedAt: number
  uploadedBy: string
  runtime: 'process' | 'compose'
  /**
   * The version of svc that the machine needs, in words; null if any will do. Agents with an older one are left out.
   */
  neededSvc: string | null
  /** `runs` names the agents that run it, `keeps` those that keep it as their previous version. */
  runs: string[]
  keeps: string[]
  /** The names of the agents that an admin wants to run it. */
  wished: string[]
  /** The number of open install codes for it. */
  codes: number
}
export interface BlueprintVersion extends BlueprintVersionRow {
  now: number
  blueprint: string
  manifest: Manifest
  /** The files in the zip. */
  files: { path: string; size: number; executable: boolean }[]
  canAct: boolean
}

/** `barred`: not expired, but its issuer is no longer an admin. It becomes valid again if they become one in time. */
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
  /** The current name of the agent that it created; null before, and if that agent was deleted. */
  agent: string | null
}
export interface NewCode extends InstallCode {
  /** Shown only this once. */
  code: string
  /**
   * Reasons why the installation would be refused right now, as sentences: a name taken, a product not activated, ten
   * bots.
   */
  warnings: string[]
}

export interface Bots {
  now: number
  /** The maximum for one workspace. */
  most: number
  rows: Bot[]
}
export interface Bot {
  id: string
  name: string
  product: string
  role: string
  createdAt: number
  /** One for each agent that acts as this bot; newest first. */
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
  /** Accurate to the minute; null if no product has asked about it yet. */
  lastUsedAt: number | null
}
export interface WorkspaceProduct {
  id: string
  origin: string
  /** Null: the operator has not activated it for this workspace. */
  activatedAt: number | null
  bots: number
}
