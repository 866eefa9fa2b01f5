import type { RuleFits } from '@svc/api'
import { count, IdleFilterTerms, Level } from '../../ui/index.ts'

/** Says how many agents the filter of a rule selects, and warns if there are none. */
export const FilterFits = ({ filter, fits }: { filter: string; fits: RuleFits }) => (
  <>
    <p className="al-fits">
      {fits.agents === 0 ? (
        <>
          <Level level="warn" iconOnly /> It fits no agent, so the rule is off for all of them.
        </>
      ) : (
        `It fits ${count(fits.agents, 'agent')}.`
      )}
    </p>
    <IdleFilterTerms text={filter} places={fits.idle} />
  </>
)
