/**
 * The documents that the service shows at `/help`, in their order, and those that are only for people who change svc.
 */

export interface Group {
  readonly title: string
  /** The names of documents: `alerts` is docs/alerts.md, and its address is `/help/alerts`. */
  readonly documents: readonly string[]
}

export const groups: readonly Group[] = [
  { title: 'Start', documents: ['start', 'runtime'] },
  { title: 'Every day', documents: ['page', 'alerts', 'jobs', 'ai-agents', 'assistants', 'glossary'] },
  { title: 'For authors of agents', documents: ['sdk', 'report-from-anything', 'blueprints', 'protocol'] },
  { title: 'For operators of the service', documents: ['install', 'operator', 'operate', 'operations'] },
]

export const served: readonly string[] = groups.flatMap(({ documents }) => documents)

/** The files that people copy beside their programs. `/help/sdk/NAME` has them as they are. */
export const copied: readonly string[] = [
  'sdk/python/svc_status.py',
  'sdk/node/svc-status.mjs',
  'sdk/node/svc-status.d.mts',
]

/** The documents that `/help` leaves out, with their subjects. */
export const internal: Readonly<Record<string, string>> = {
  architecture: 'the parts of the code',
  benchmarks: 'measurements, and how to repeat them in a checkout',
  dependencies: 'the libraries, and why each was chosen',
}
