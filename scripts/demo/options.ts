/** The arguments of `npm run demo`. */
import { parseArgs } from 'node:util'

/** The maximum number of simulated agents: the usual limit of a workspace. */
export const maxFleet = 10_000
/** The number of simulated agents if the person names none. */
export const usualFleet = 40
const maxPort = 65_535

export const usage = `npm run demo -- [options]
  --agents N   with N simulated agents, 0 to ${countInWords(maxFleet)}; ${usualFleet} without this option
  --port N     where the service listens; 8787 where that is free
  --keep       leave the folder when the demo ends
  --json       one line for programs
  --help       print this`

export interface DemoOptions {
  /** The number of simulated agents; 0 for none. */
  agents: number
  /** The port that the person chose; undefined if the demo may choose one. */
  port: number | undefined
  keep: boolean
  json: boolean
}

type OptionsVerdict = { is: 'run'; options: DemoOptions } | { is: 'help' } | { is: 'refused'; message: string }

/** Reads the arguments. A refusal says what was wrong; the caller adds the usage. */
export function readOptions(args: readonly string[]): OptionsVerdict {
  try {
    const text = { type: 'string' } as const
    const flag = { type: 'boolean', default: false } as const
    const options = { agents: text, port: text, keep: flag, json: flag, help: flag }
    const { values } = parseArgs({ args: [...args], options })
    if (values.help) return { is: 'help' }
    const { keep, json } = values
    const agents = numberOf('--agents', values.agents, { min: 0, max: maxFleet }) ?? usualFleet
    return {
      is: 'run',
      options: { agents, port: numberOf('--port', values.port, { min: 1, max: maxPort }), keep, json },
    }
  } catch (error) {
    return { is: 'refused', message: error instanceof Error ? error.message : String(error) }
  }
}

function numberOf(
  name: string,
  text: string | undefined,
  { min, max }: { min: number; max: number },
): number | undefined {
  if (text === undefined) return undefined
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (number >= min && number <= max) return number
  throw new Error(`${name} must be a whole number from ${min} to ${max}: got "${text}".`)
}

/** A number with commas, such as `5,000`. */
export function countInWords(number: number): string {
  return number.toLocaleString('en-US')
}
