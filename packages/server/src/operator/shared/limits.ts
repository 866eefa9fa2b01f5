/** Reads limits of a workspace as people type them. `default` restores the default. */
import { shown } from '@svc/protocol'
import { Misused, option, type Request } from './request.ts'

type TypedLimits = Partial<Record<'agents' | 'people' | 'bundles', number | null>>

export function limitsIn(request: Request): TypedLimits {
  const [agents, people, bundles] = ['agents', 'people', 'bundles'].map((name) => option(request, name))
  return {
    ...(agents !== undefined && { agents: wholeFrom('--agents', agents) }),
    ...(people !== undefined && { people: wholeFrom('--people', people) }),
    ...(bundles !== undefined && { bundles: bytesFrom(bundles) }),
  }
}

function wholeFrom(name: string, text: string): number | null {
  if (text === 'default') return null
  const whole = Number(text.replaceAll(',', ''))
  if (/^[\d,]+$/.test(text) && whole <= 1e9) return whole
  throw new Misused(`${name} is a whole number, or default: got ${shown(text)}.`)
}

const units: Readonly<Record<string, number>> = { '': 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 }

function bytesFrom(text: string): number | null {
  if (text === 'default') return null
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?) ?([KMGT]?B|)$/i.exec(text) ?? []
  const factor = units[unit.toUpperCase()] ?? (unit.toUpperCase() === 'B' ? 1 : undefined)
  const bytes = number === '' || factor === undefined ? Number.NaN : Math.round(Number(number) * factor)
  if (Number.isSafeInteger(bytes)) return bytes
  throw new Misused(`--bundles is a size such as 500MB or 2GB, or default: got ${shown(text)}.`)
}
