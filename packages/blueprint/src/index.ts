/**
 * The main entry point of this package, which reads manifests, and reads, checks, packs and unpacks bundles. Parts of
 * the package have separate entry points. Section numbers in comments are those of docs/protocol.md.
 */

export { type BundleFinding, findingText } from './bundle/findings.ts'
export { readBundle } from './bundle/read.ts'
export { unpackBundle } from './bundle/unpack.ts'
export { checkBundle, checkFolder, type ExaminedFolder, examineBundle, examineFolder } from './folder/check.ts'
export { macNote } from './folder/hints.ts'
export { type PackedBundle, packFolder } from './folder/pack.ts'
export { isLogPattern, logNamed, logsBelow } from './manifest/logs.ts'
export { wrongWithAgentName, wrongWithEnvValue, wrongWithSecretName } from './manifest/names.ts'
export type { Need } from './manifest/needs.ts'
export { readManifest } from './manifest/read.ts'
export type { ManifestFinding } from './manifest/reading.ts'
export { defaultValues, settingsSchema } from './manifest/settings.ts'
export type { Binding, DeclaredLog, Manifest, ManifestSetting, Restart, Runtime } from './manifest/shape.ts'
export { manifestName } from './manifest/shape.ts'
export { isTooOld, type NeededSvc, neededSvc, neededSvcText } from './manifest/since.ts'
