import type { Kysely } from 'kysely'

/**
 * Adds filters that limit alert rules to some agents. A node of the previous version would judge such a rule for all
 * agents, so each node notes that it knows filters, and one can be set only when all do (alerts/changes/rules.ts).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('alert_rule').addColumn('filter', 'text').execute()
  await db.schema.alterTable('factor_node').addColumn('rule_filters', 'integer').execute()
}
