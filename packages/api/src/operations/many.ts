/** Input that names many agents of a workspace. */
import { InputRefused, list, pasted, type Reader, reader } from '../input.ts'

/** The maximum number of agents that one request names, as many as a workspace may have by default. */
export const maxNamedAgents = 10_000
/** The maximum size of a request with `maxNamedAgents` names: 10,000 of the longest names have 700 KB. */
export const maxBytesOfMany = 2 * 1024 * 1024

const names = list(pasted(), maxNamedAgents)
/** Reads the names of one or more agents. */
export const agentNames: Reader<string[]> = reader(names.form, (value, field) => {
  const read = names(value, field)
  if (read.length === 0) throw new InputRefused(`${field} must name at least one agent.`)
  return read
})
