/** Blueprints, their versions, and the codes that install them. */

/** A blueprint: a name in a workspace under which versions of an agent are uploaded. */
export interface BlueprintTable {
  id: string
  workspace_id: string
  name: string
  created_at: number
}

/** A version of a blueprint, which never changes after the upload. */
export interface BlueprintVersionTable {
  id: string
  blueprint_id: string
  version: string
  description: string
  /** The checksum of the bundle, in hex. */
  sha256: string
  size: number
  uploaded_at: number
  uploaded_by: string | null
  uploaded_by_name: string
  /** The manifest of the version as it was read from the bundle, as JSON. */
  manifest: string
  /** The files of the version's bundle, as a JSON array of {path, size, executable}. */
  files: string
  bundle: Uint8Array
}

/** An install code (2.9). The version, bindings and agent's name that it installs are fixed when it is issued (D43). */
export interface InstallCodeTable {
  id: string
  hash: string
  workspace_id: string
  /**
   * The id of the version that the code installs; null after that version was deleted. A version cannot be deleted
   * while the code is valid.
   */
  version_id: string | null
  blueprint: string
  version: string
  sha256: string
  /** The bindings that the installation makes for the agent, as a JSON array of {product, role, scopes}. */
  bindings: string
  agent_name: string
  /** The tags that the agent gets, as a JSON array; null for a code of an earlier version. */
  tags: string | null
  issued_by: string | null
  issued_by_name: string
  issued_at: number
  expires_at: number
  redeemed_at: number | null
  revoked_at: number | null
  /** The agent that was installed with the code; null before the installation, and after the agent was deleted. */
  agent_id: string | null
}
