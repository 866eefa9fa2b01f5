/** Makes the two results of a decision (`Verdict`): done, or refused, in which case nothing was changed. */
export const done = <T>(value: T) => ({ ok: true, value }) as const
export const refuse = <Code extends string>(code: Code, message: string) => ({ ok: false, code, message }) as const

export const unknownAgent = refuse('agent_unknown', 'There is no such agent.')
