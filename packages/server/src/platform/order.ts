/** Compares names as people do: digits as numbers, so that `agent-2` comes before `agent-10`. */
export const byText = new Intl.Collator('en', { numeric: true }).compare
