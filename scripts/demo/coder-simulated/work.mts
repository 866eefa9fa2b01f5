/**
 * The invented work of the simulated agent: runs with models and costs. All functions are pure. Every text that a
 * person may read by itself says that it is simulated.
 */
export const models = { large: 'simulated-large', small: 'simulated-small' } as const

/** A run as the status file holds it (2.2). Times are in Unix seconds. */
export interface Run {
  id: string
  kind: string
  status: string
  started: number
  ended?: number
  cost_usd: number
  output_tokens: number
  models: Record<string, number>
  subjects: { title: string; share: number }[]
  log: string
}

const day = 86_400
const historyDays = 30
const stepSeconds = 6
export const maxRuns = 400
/** The share of runs that fail. */
const failing = 0.07

const issues = [
  'The import stops at an empty line',
  'Dates are shown in the wrong time zone',
  'The export is slow for large accounts',
  'A retry sends the invoice twice',
  'The search does not find umlauts',
  'The test of the scheduler fails sometimes',
  'The help text names an old option',
  'The dialog loses its input on reload',
]
const doings = [
  'reads the code',
  'writes a test that fails',
  'changes the code',
  'runs the tests',
  'reviews the change',
]

/** A number from 0 to below 1 that depends only on the two given numbers. */
export function share(seed: number, part: number): number {
  let x = Math.imul(Math.trunc(seed) ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(part + 1, 0xc2b2ae35)
  x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d)
  x = Math.imul(x ^ (x >>> 12), 0x297a2d39)
  return ((x ^ (x >>> 15)) >>> 0) / 2 ** 32
}

/** The number of steps after which a run that began at this time ends. */
export const stepsOf = (started: number): number => 40 + Math.floor(share(started, 1) * 50)

/** A run that began at `started` and has made this many steps. It is still running if `ended` is undefined. */
export function runAfter(started: number, steps: number, ended?: number): Run {
  const [large, small] = costsAfter(started, steps)
  const number = 100 + Math.floor(share(started, 2) * 800)
  const [title, other] = [0, 1].map((n) => issues[(number + n) % issues.length] ?? '') as [string, string]
  return {
    id: `fix-${started}`,
    kind: share(started, 3) < 0.25 ? 'review' : 'fix',
    status: ended === undefined ? 'running' : share(started, 4) < failing ? 'failed' : 'done',
    started,
    ...(ended !== undefined && { ended }),
    cost_usd: cents(large + small),
    output_tokens: Math.floor(steps * (90 + share(started, 5) * 120)),
    models: { [models.large]: large, [models.small]: small },
    subjects: [
      { title: `Simulated issue ${number}: ${title}`, share: 0.8 },
      { title: `Simulated issue ${number + 1}: ${other}`, share: 0.2 },
    ],
    log: 'work',
  }
}

/** The costs of the first steps of a run, by model: every third step calls the large one. */
function costsAfter(started: number, steps: number): [large: number, small: number] {
  const price = 0.004 + share(started, 6) * 0.005
  const large = Math.floor(steps / 3)
  return [cents(large * price), cents((steps - large) * price * 0.12)]
}

const cents = (dollars: number): number => Math.round(dollars * 10_000) / 10_000

/** The text about the step that a run is at. */
export const doingAt = (steps: number): string => `Simulated: ${doings[Math.floor(steps / 8) % doings.length]}`
export const modelAt = (steps: number): string => (steps % 3 === 2 ? models.large : models.small)

/**
 * The runs of the 30 days before `now`, newest first. A working day has 5 to 10 runs and a day at the weekend at most
 * 2. These runs have more steps than later ones, so that few of them cost as much as a usual day.
 */
export function historyBefore(now: number): Run[] {
  const today = Math.floor(now / day)
  const runs: Run[] = []
  for (let date = today - historyDays + 1; date <= today; date++) {
    const isWeekend = [0, 6].includes(new Date(date * day * 1000).getUTCDay())
    const count = isWeekend ? Math.floor(share(date, 7) * 3) : 5 + Math.floor(share(date, 8) * 6)
    for (let i = 0; i < count; i++) {
      const started = date * day + 6 * 3600 + Math.floor(((i + share(date, 20 + i) * 0.5) * 12 * 3600) / count)
      const steps = 3 * stepsOf(started)
      const ended = started + steps * stepSeconds
      if (ended < now) runs.push(runAfter(started, steps, ended))
    }
  }
  return runs.reverse()
}

/** The cost of the runs that began on the day of `now`, in UTC as on the page. */
export const costOfToday = (runs: readonly Run[], now: number): number =>
  cents(
    runs
      .filter(({ started }) => Math.floor(started / day) === Math.floor(now / day))
      .reduce((sum, { cost_usd }) => sum + cost_usd, 0),
  )
