/**
 * The tokens of a session and what they cost. A tool may report a cost. The cost of tokens that no report covers is
 * estimated with the prices that a person set. Any other cost is unknown, and a sum then says so.
 */

/** Numbers of tokens by kind. */
export interface Tokens {
  /** The tokens that were sent, without those that the provider of the model had cached. */
  readonly input: number
  readonly cached: number
  readonly output: number
}

/** Tokens by model. */
type Models = Readonly<Record<string, Tokens>>

/** The tokens that a session, or one file of it, has used, and the cost that the tool reported. */
export interface Spent {
  readonly all: Models
  /** The cost that the tool reported last, and the tokens that this cost covers. */
  readonly reported?: ReportedCost
  /** The last day on which tokens were used, by its number. `reported` is the cost reported on that day alone. */
  readonly today: {
    readonly day: number
    readonly all: Models
    readonly reported?: number
    /** True if more may have been used on this day, at a time that is not known. */
    readonly isMinimum?: boolean
  }
  /** True if parts of the files were skipped, so that more may have been used. */
  readonly hasGaps?: boolean | undefined
}

/** The name of a model that the tool did not name. */
export const unknownModel = 'unknown'

/** A cost that a tool reported, and the tokens that it covers. */
export interface ReportedCost {
  readonly usd: number
  readonly models: Readonly<Record<string, number>>
  readonly tokens: Models
  /** True if this is the sum of the costs of single answers. It then lacks the costs of answers that were not read. */
  readonly isSum?: boolean
}

export const nothingSpent: Spent = { all: {}, today: { day: 0, all: {} } }

/** Adds the tokens of one answer. */
export function addTokensOfAnswer(spent: Spent, model: string, tokens: Tokens, day: number): Spent {
  const today = onDay(spent.today, day)
  return {
    ...spent,
    all: addModels(spent.all, { [model]: tokens }),
    today: today.day === day ? { ...today, all: addModels(today.all, { [model]: tokens }) } : today,
  }
}

/** Stores the cost that the tool reported for all tokens so far. */
export function withReportedCost(spent: Spent, reported: ReportedCost, day: number): Spent {
  const today = onDay(spent.today, day)
  const before = spent.reported?.usd ?? 0
  const more = reported.usd >= before ? reported.usd - before : reported.usd
  return { ...spent, reported, today: today.day === day ? { ...today, reported: (today.reported ?? 0) + more } : today }
}

/** Adds a cost that the tool reported for one answer. */
export const withAddedCost = (spent: Spent, more: ReportedCost, day: number): Spent =>
  withReportedCost(spent, { ...(addReportedCosts(spent.reported, more) ?? more), isSum: true }, day)

/** Returns `today`, or empty sums for the day `day` if that day is later. */
const onDay = (today: Spent['today'], day: number): Spent['today'] => (day > today.day ? { day, all: {} } : today)

/**
 * Adds up the tokens of all files of a session. A tool writes the cost of the whole session into its first file, so the
 * costs of the others do not count.
 */
export function sumOf(first: Spent, others: readonly Spent[]): Spent {
  let sum = first
  for (const spent of others) {
    const today = onDay(sum.today, spent.today.day)
    sum = {
      ...sum,
      all: addModels(sum.all, spent.all),
      today:
        today.day === spent.today.day
          ? {
              ...today,
              all: addModels(today.all, spent.today.all),
              ...((today.isMinimum || spent.today.isMinimum) && { isMinimum: true }),
            }
          : today,
      ...((sum.hasGaps || spent.hasGaps) && { hasGaps: true }),
    }
  }
  return sum
}

/** Adds up what several sessions used, each of which reports a cost of its own. */
export const sumOfSessions = (all: readonly Spent[]): Spent =>
  all.reduce((before, spent) => {
    const sum = sumOf(before, [spent])
    const reported = addReportedCosts(before.reported, spent.reported)
    const { today } = spent
    const more = today.day === sum.today.day ? today.reported : undefined
    return {
      ...sum,
      ...(reported && { reported }),
      today: more === undefined ? sum.today : { ...sum.today, reported: (sum.today.reported ?? 0) + more },
    }
  }, nothingSpent)

function addReportedCosts(
  reported: ReportedCost | undefined,
  more: ReportedCost | undefined,
): ReportedCost | undefined {
  if (reported === undefined || more === undefined) return reported ?? more
  const models: Record<string, number> = { ...reported.models }
  for (const [model, usd] of Object.entries(more.models)) models[model] = (ownOf(models, model) ?? 0) + usd
  return { usd: reported.usd + more.usd, models, tokens: addModels(reported.tokens, more.tokens), isSum: true }
}

/** The tokens that no reported cost covers: those used after the tool reported it, or by a process that was killed. */
function uncoveredOf({ all, reported }: Pick<Spent, 'all' | 'reported'>): Models {
  if (reported === undefined) return all
  return perModel(all, (tokens, model) => addedTokens(ownOf(reported.tokens, model) ?? noTokens, tokens))
}

/**
 * The smaller number of tokens for each model. `costOfDay` assumes that the tokens without a reported cost are those
 * that were used last.
 */
const minTokensOf = (all: Models, other: Models): Models =>
  perModel(all, (tokens, model) => {
    const limit = ownOf(other, model) ?? noTokens
    return tokensBy((key) => Math.min(tokens[key], limit[key]))
  })

const perModel = (all: Models, change: (tokens: Tokens, model: string) => Tokens): Models =>
  Object.fromEntries(Object.entries(all).map(([model, tokens]) => [model, change(tokens, model)]))
const tokensBy = (count: (key: keyof Tokens) => number): Tokens => ({
  ...{ input: count('input'), cached: count('cached'), output: count('output') },
})

function addModels(all: Models, more: Models): Models {
  const sum: Record<string, Tokens> = { ...all }
  for (const [model, tokens] of Object.entries(more)) sum[model] = addTokens(ownOf(sum, model) ?? noTokens, tokens)
  return sum
}
export const noTokens: Tokens = { input: 0, cached: 0, output: 0 }

export const addTokens = (a: Tokens, b: Tokens): Tokens => tokensBy((key) => a[key] + b[key])

/** The number of tokens of all kinds. */
export const countOf = ({ input, cached, output }: Tokens): number => input + cached + output

/** The tokens that were added between `before` and `after`. */
export const addedTokens = (before: Tokens, after: Tokens): Tokens =>
  tokensBy((key) => Math.max(0, after[key] - before[key]))

/** The sum of the tokens of all models. */
export const tokensOf = (models: Models): Tokens => Object.values(models).reduce(addTokens, noTokens)

/** Prices in USD per million tokens. */
interface Price {
  readonly input: number
  readonly output: number
  readonly cached: number
}
/** Prices by the name of the model. */
export type Prices = Readonly<Record<string, Price>>

/** A cost of which parts may be unknown. */
export interface Cost {
  readonly reported?: number | undefined
  readonly estimated?: number | undefined
  /** True if a part is unknown, so that the sum of `reported` and `estimated` is only a minimum. */
  readonly isMinimum: boolean
}

/** The cost of all tokens that were used. */
export const costOf = (spent: Spent, prices: Prices): Cost =>
  costWith(
    {
      reported: spent.reported?.usd,
      uncovered: uncoveredOf(spent),
      isSum: spent.reported?.isSum,
      hasGaps: spent.hasGaps,
    },
    prices,
  )

/** The cost of the last day on which tokens were used. */
export const costOfDay = (spent: Spent, prices: Prices): Cost =>
  costWith(
    {
      reported: spent.today.reported,
      uncovered: minTokensOf(spent.today.all, uncoveredOf(spent)),
      isSum: spent.reported?.isSum,
      hasGaps: spent.hasGaps || spent.today.isMinimum,
    },
    prices,
  )

interface CostParts {
  readonly reported: number | undefined
  readonly uncovered: Models
  readonly isSum: boolean | undefined
  readonly hasGaps: boolean | undefined
}

function costWith({ reported, uncovered, isSum, hasGaps }: CostParts, prices: Prices): Cost {
  const parts = Object.entries(uncovered).filter(([, tokens]) => countOf(tokens) > 0)
  const known = parts.flatMap(([model, tokens]) => estimate(model, tokens, prices) ?? [])
  return {
    ...(reported !== undefined && { reported }),
    ...(known.length > 0 && { estimated: known.reduce((sum, usd) => sum + usd, 0) }),
    isMinimum: known.length < parts.length || (hasGaps === true && (reported === undefined || isSum === true)),
  }
}

/** The known cost by model. */
export function modelCosts(spent: Spent, prices: Prices): Record<string, number> {
  const costs: Record<string, number> = { ...spent.reported?.models }
  for (const [model, tokens] of Object.entries(uncoveredOf(spent))) {
    const usd = estimate(model, tokens, prices)
    if (usd !== undefined && usd > 0) costs[model] = (ownOf(costs, model) ?? 0) + usd
  }
  return costs
}

/** The known part of a cost; undefined if nothing is known. */
export const knownCost = ({ reported, estimated }: Cost): number | undefined =>
  reported === undefined && estimated === undefined ? undefined : (reported ?? 0) + (estimated ?? 0)

/** The sum of several costs. If a part of one of them is unknown, the sum is a minimum. */
export function totalCost(costs: readonly Cost[]): Cost {
  const sum = (values: readonly (number | undefined)[]) => {
    const known = values.filter((value) => value !== undefined)
    return known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0)
  }
  return {
    reported: sum(costs.map(({ reported }) => reported)),
    estimated: sum(costs.map(({ estimated }) => estimated)),
    isMinimum: costs.some(({ isMinimum }) => isMinimum),
  }
}

function estimate(model: string, { input, cached, output }: Tokens, prices: Prices): number | undefined {
  const price = priceOf(model, prices)
  return price && (input * price.input + cached * price.cached + output * price.output) / 1e6
}

/** The price of a model. The name in the prices may leave out the date at the end of the model's name. */
const priceOf = (model: string, prices: Prices): Price | undefined =>
  ownOf(prices, model) ?? ownOf(prices, model.replace(dateSuffix, ''))
const dateSuffix = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2})$/
/** The value of a key; undefined for a name that every object inherits, such as `constructor`. */
const ownOf = <T>(all: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(all, key) ? all[key] : undefined

/**
 * Reads the setting `prices`: `MODEL=IN/OUT/CACHED` in USD per million tokens, separated by spaces. Without `/CACHED`,
 * cached tokens cost as much as input. `wrong` is the number of words that cannot be read.
 */
export function readPrices(text: string): { readonly prices: Prices; readonly wrong: number } {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const read = words.map((word) => pricePattern.exec(word))
  const entries = read.flatMap((found): (readonly [string, Price])[] => {
    if (!found) return []
    const [, model = '', input, output, cached = input] = found
    return [[model, { input: Number(input), output: Number(output), cached: Number(cached) }]]
  })
  return { prices: Object.fromEntries(entries), wrong: words.length - entries.length }
}
/** The pattern of names of models. A text that does not match it may be written by a person, and is not kept. */
const modelPattern = String.raw`[A-Za-z0-9][\w.:@/[\]-]{0,99}`
const wholeModel = new RegExp(`^${modelPattern}$`)
export const modelIn = (value: unknown): string | undefined =>
  typeof value === 'string' && wholeModel.test(value) ? value : undefined

const pricePart = String.raw`(\d{1,6}(?:\.\d{1,6})?)`
const pricePattern = new RegExp(`^(${modelPattern})=${pricePart}/${pricePart}(?:/${pricePart})?$`)
