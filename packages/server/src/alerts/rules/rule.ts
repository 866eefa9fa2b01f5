/** The record of an alert rule: its defaults, its condition, the facts that the condition needs, and its words. */
import type { RawBuilder } from 'kysely'
import type { AlertFacts, ConditionFinding, ReportedFacts, Rule, RuleMoment } from './conditions.ts'

/** The words of messages about a rule. Its heading and its condition on the page are in packages/api/src/words. */
export interface RuleWords {
  /** The words for a state that began less than a second ago, such as "is offline". */
  begins: string
  is: string
  was: string
  /** The words after "keeps" about a problem that comes and goes, such as "losing a binding". */
  keeps: string
}

interface Defaults extends Pick<Rule, 'on' | 'after' | 'level'>, Partial<Pick<Rule, 'limit' | 'statuses'>> {
  words: RuleWords
  /** The heading above several alerts of the rule in a message, if it differs from the heading on the page. */
  heading?: string
  /**
   * The milliseconds for which the condition must be gone before an alert ends; by default `after`, but at most two
   * minutes.
   */
  endDelayMs?: number
}

type Fact = keyof AlertFacts

/** The rule with its settings, and the present time; `mayHold` makes its condition from them. */
interface ChoiceContext {
  rule: Rule
  now: number
}

interface ByFacts<F extends Fact> extends Defaults {
  /** The facts that the condition needs, and the only ones that it can read. */
  facts: readonly F[]
  /**
   * The SQL condition that is true for all agents for which the rule may hold, and for few others. It compares only
   * columns with short values. A rule about daily sums has instead the limit above which an agent's sums are needed:
   * today's cost in millionths of a US dollar, or today's number of runs.
   */
  mayHold:
    | ((choosing: ChoiceContext) => RawBuilder<boolean>)
    | { costAbove: (rule: Rule) => number | undefined }
    | { runsAbove: number }
}

interface AgentRule<F extends Fact = Fact> extends ByFacts<F> {
  about: 'agent'
  condition: (agent: Pick<AlertFacts, F>, rule: Rule, moment: RuleMoment) => ConditionFinding
  /** Set if the rule is judged even while the agent sends no reports. */
  whileOffline?: 'judged'
  /**
   * Set if alerts stay after a person has stopped the agent on its machine, because they end by a change in the service
   * or with time. All other alerts depend on reports, which a stopped agent does not send.
   */
  afterStop?: 'stays'
  /** Set if a pause of the agent makes the condition go away; the end of the alert is then explained by the pause. */
  whilePaused?: 'ends'
  /** Set if agents choose the words of the alerts: returns the finding with an agent's present words. */
  present?: (reported: ReportedFacts) => ConditionFinding
}

/** The rule about single health items. An agent may have many such alerts, so their condition is in items.ts. */
interface ItemRule extends ByFacts<Fact> {
  about: 'items'
}

interface RolloutRule extends Defaults {
  about: 'rollout'
  condition: (rollout: { state: string }) => ConditionFinding
}

/** A rule about single events, or about the service and its channels. Its condition is in evaluation/. */
interface OtherRule extends Defaults {
  about: 'command' | 'service'
}

export type RuleRecord = AgentRule | ItemRule | RolloutRule | OtherRule

/** Makes the record of a rule that judges single agents. */
export const ruleOfAgents = <const F extends Fact>(rule: Omit<AgentRule<F>, 'about' | 'present'>): AgentRule => ({
  about: 'agent',
  ...rule,
})

/**
 * A rule whose alerts have words that an agent chooses. The agent may change them with every report, so they are stored
 * only with messages, and otherwise read when an alert is shown.
 */
export const ruleWordedByAgents = <const F extends keyof ReportedFacts>(
  rule: Omit<AgentRule<F>, 'about' | 'condition' | 'present'> & {
    condition: (reported: Pick<ReportedFacts, F>) => ConditionFinding
  },
): AgentRule => ({ about: 'agent', ...rule, present: rule.condition })

/** The words for a state that lasts: "has been offline for 10 minutes". */
export const lastingStateWords = (state: string, keeps: string): RuleWords => ({
  begins: `is ${state}`,
  is: `has been ${state}`,
  was: `was ${state}`,
  keeps,
})

/** The words for an event without a duration: "could not be updated". */
export const eventWords = (what: string, keeps: string): RuleWords => ({ begins: what, is: what, was: what, keeps })
