import { useFilterFits } from '../../data/fits.ts'
import { IdleFilterTerms } from '../../ui/index.ts'

/** Names the terms of the filter that exclude no agent, before somebody acts on the agents that it selected. */
export const SelectionIdleTerms = ({ slug, filter }: { slug: string; filter: string | undefined }) => (
  <IdleFilterTerms role="status" text={filter ?? ''} places={useFilterFits(slug, filter)?.idle} />
)
