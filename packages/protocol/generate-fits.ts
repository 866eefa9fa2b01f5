/**
 * `node packages/protocol/generate-fits.ts` writes src/report.fits.ts from the schemas of the fields: one function for
 * each object or list, which tests whether a report fits without looking up a schema. Most reports fit, and are then
 * kept unchanged.
 */
import { writeFileSync } from 'node:fs'
import type { JsonSchema } from './src/fields.ts'
import { linkPattern } from './src/link.ts'
import { report } from './src/report.ts'
import { tidyPattern } from './src/text.ts'

const head = `/** Made by generate-fits.ts from the fields of the report; do not edit. */
import { isObject } from './fields.ts'
import { isLink } from './link.ts'

/**
 * True if the reader would keep a report unchanged: every part of it is known, has the right type and is within its
 * limits. False means only that this is not certain. The texts of the report must be known to be clean (D13), runs with
 * the same id are not detected (D11), and objects with free keys lose their prototype here, as in the reader.
 */
export const fitsReport = (v: unknown): boolean => report(v)
`

/** Returns the whole text of the generated file, src/report.fits.ts. */
export function fitsSource(): string {
  const functions = new Functions()
  functions.of(report.schema, 'report')
  return head + functions.source
}

/**
 * Collects the generated functions. There is one for each distinct schema, named after the first place where this
 * schema was found.
 */
class Functions {
  readonly #names = new Map<string, string>()
  source = ''

  of(schema: JsonSchema, hint: string): string {
    const key = JSON.stringify(schema)
    const known = this.#names.get(key)
    if (known) return known
    const taken = [...this.#names.values()].filter((one) => one.replace(/\d+$/, '') === hint).length
    const name = taken === 0 ? hint : `${hint}${taken + 1}`
    this.#names.set(key, name)
    const body = this.#body(schema, name)
    this.source += `\nfunction ${name}(v: unknown): boolean {\n${body.map((line) => `  ${line}\n`).join('')}}\n`
    return name
  }

  #body(schema: JsonSchema, name: string): string[] {
    if (schema.oneOf) return this.#byType(schema.oneOf as JsonSchema[])
    if (schema.type === 'array') return this.#list(schema, name)
    return schema.additionalProperties ? this.#record(schema, name) : this.#object(schema)
  }

  #list({ items, maxItems, uniqueItems }: JsonSchema, name: string): string[] {
    return [
      `if (!Array.isArray(v) || v.length > ${maxItems}) return false`,
      `for (const x of v) if (!(${this.#test(items as JsonSchema, `${name}Item`)})) return false`,
      uniqueItems ? 'return v.length < 2 || new Set(v).size === v.length' : 'return true',
    ]
  }

  #record({ propertyNames, additionalProperties, maxProperties }: JsonSchema, name: string): string[] {
    return [
      'if (!isObject(v)) return false',
      'let count = 0',
      'for (const key in v) {',
      `  if (key === '' || key.length > ${(propertyNames as JsonSchema).maxLength} || ++count > ${maxProperties}) return false`,
      '  const x = v[key]',
      `  if (!(${this.#test(additionalProperties as JsonSchema, `${name}Value`)})) return false`,
      '}',
      'Object.setPrototypeOf(v, null)',
      'return true',
    ]
  }

  #object({ properties, required = [] }: JsonSchema): string[] {
    const needed = required as string[]
    const cases = Object.entries(properties as Record<string, JsonSchema>).flatMap(([key, schema]) => [
      `    case '${key}':`,
      `      if (!(${this.#test(schema, key)})) return false`,
      ...(needed.includes(key) ? [`      had |= ${1 << needed.indexOf(key)}`] : []),
      '      break',
    ])
    return [
      'if (!isObject(v)) return false',
      ...(needed.length > 0 ? ['let had = 0'] : []),
      'for (const key in v) {',
      '  const x = v[key]',
      '  switch (key) {',
      ...cases,
      '    default:',
      '      return false',
      '  }',
      '}',
      needed.length > 0 ? `return had === ${(1 << needed.length) - 1}` : 'return true',
    ]
  }

  /** Generates the body of a function that tests an object whose `type` says which of several kinds it is. */
  #byType(kinds: readonly JsonSchema[]): string[] {
    const cases = kinds.flatMap((kind) => {
      const [type] = ((kind.properties as Record<string, JsonSchema>).type?.enum ?? []) as string[]
      return type === undefined ? [] : [`  case '${type}':`, `    return ${this.of(kind, `${type}Panel`)}(v)`]
    })
    return ['if (!isObject(v)) return false', 'switch (v.type) {', ...cases, '  default:', '    return false', '}']
  }

  /** Generates the condition under which the variable `x` fits the schema. */
  #test(schema: JsonSchema, hint: string): string {
    if ('const' in schema) return `x === ${JSON.stringify(schema.const)}`
    if (schema.enum) return (schema.enum as string[]).map((word) => `x === '${word}'`).join(' || ')
    if (schema.anyOf) return (schema.anyOf as JsonSchema[]).map((one) => `(${this.#test(one, hint)})`).join(' || ')
    if (Array.isArray(schema.type)) {
      return schema.type.map((type) => `(${this.#test({ ...schema, type }, hint)})`).join(' || ')
    }
    const simple = simpleTests[schema.type as string]
    return simple ? simple(schema) : `${this.of(schema, hint)}(x)`
  }
}

/** A condition that excludes -0. JSON writes -0 as 0, so a report with -0 cannot be kept unchanged. */
const noMinusZero = '(x !== 0 || 1 / x > 0)'

const simpleTests: Readonly<Record<string, (schema: JsonSchema) => string>> = {
  null: () => 'x === null',
  boolean: () => "typeof x === 'boolean'",
  string: ({ pattern, minLength, maxLength }) => {
    if (pattern === linkPattern) return "typeof x === 'string' && isLink(x)"
    if (pattern !== undefined && pattern !== tidyPattern)
      throw new Error(`No test is known for texts of the pattern ${pattern}.`)
    return `typeof x === 'string'${minLength ? " && x !== ''" : ''} && x.length <= ${maxLength}`
  },
  integer: ({ minimum }) => `typeof x === 'number' && Number.isSafeInteger(x) && x >= ${minimum} && ${noMinusZero}`,
  number: ({ minimum, maximum }) =>
    ["typeof x === 'number'", 'Number.isFinite(x)', bound('>=', minimum), bound('<=', maximum), noMinusZero]
      .filter(Boolean)
      .join(' && '),
}

const bound = (relation: string, to: unknown): string => (to === undefined ? '' : `x ${relation} ${to}`)

if (import.meta.main) writeFileSync(new URL('./src/report.fits.ts', import.meta.url), fitsSource())
