/** Words that service and page share. */
export * from './alerts.ts'
export * from './durations.ts'
export * from './passkeys.ts'
export * from './rules.ts'
export * from './strips.ts'
export * from './updates.ts'
