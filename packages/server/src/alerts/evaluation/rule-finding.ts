/** A finding of a rule about a subject, and the facts by which the rules of a workspace are judged. */
import type { RuleName } from '@svc/api'
import type { AlertChannelRow } from '../../platform/db/tables.ts'
import type { ConditionFinding, RuleMoment } from '../rules/conditions.ts'
import type { AlertScope } from '../scope.ts'
import type { ScopedRule } from '../scoped-rules.ts'
import type { KnownAlerts, SubjectRef } from '../store.ts'

/** The scope that an evaluation judges, with the short name of its workspace. */
export interface NamedScope extends AlertScope {
  slug: string
  /** False if the workspace is not activated, in which case all its alerts end. */
  active: boolean
}

/** The finding of a rule about one subject. */
export interface RuleFinding {
  rule: ScopedRule
  about: SubjectRef
  finding: ConditionFinding
  /** The agents of the mass outage that the finding is about; absent in other findings. */
  agents?: MassAgents
}

/**
 * The agents of a mass outage, as a list and as JSON. Both are kept, because making them for up to 50,000 agents takes
 * long.
 */
interface MassAgents {
  list: { names: readonly string[]; of: number }
  json: string
}

export interface FindingContext {
  rules: (name: RuleName) => ScopedRule
  known: KnownAlerts
  moment: RuleMoment
  channels: readonly AlertChannelRow[]
  muted: (agentId: string) => boolean
}

/** The workspace as the subject of an alert. */
export const aboutWorkspace = ({ id, slug }: NamedScope): SubjectRef => ({ kind: 'workspace', id, name: slug })
