import { useFits } from '../../data/fits.ts'
import { IdleFilterTerms } from '../../ui/index.ts'

/** Says which terms of the filter that selected agents exclude no agent, before somebody acts on these agents. */
export const SelectionIdleTerms = ({ slug, filter }: { slug: string; filter: string | undefined }) => (
  <IdleFilterTerms role="status" text={filter ?? ''} places={useFits(slug, filter)?.idle} />
)
