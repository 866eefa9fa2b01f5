/** Shows which versions of a blueprint are in use, and the agents that run them. */

import type { BlueprintPage as Blueprint } from '@svc/api'
import { paths } from '../paths.ts'
import { count, Level, Section, Text, Time } from '../ui/index.ts'
import { AnchorLink } from '../ui/links.tsx'
import { useFirstRows } from '../ui/useFirstRows.tsx'
import { VersionBar } from '../updates/parts/VersionBar.tsx'
import { WishedVersion } from '../updates/parts/Wished.tsx'
import './blueprints.css'

/** Lists the versions of a blueprint with their agents and open codes, below a bar of the agents by version. */
export const VersionsInUse = ({ slug, page, shown }: { slug: string; page: Blueprint; shown: string }) => (
  <Section title="Versions" aside={count(page.versions.length, 'version')} flush>
    <div className="bp-in-use">
      <VersionBar title="Agents by version" versions={agentsByVersion(page)} />
    </div>
    <ul className="svc-rows">
      {page.versions.map(({ version, uploadedAt, uploadedBy, runs, keeps, wished, codes }) => (
        <li key={version} className="bp-version-row" data-shown={version === shown}>
          <AnchorLink
            to={paths.blueprint}
            params={{ slug, blueprint: page.name }}
            search={{ version }}
            fw={600}
            {...(version === shown && { 'aria-current': 'true' as const })}
            resetScroll={false}
          >
            {version}
          </AnchorLink>
          <span className="svc-quiet">
            {[
              runs.length > 0 && `${count(runs.length, 'agent')} ${runs.length === 1 ? 'runs' : 'run'} it`,
              keeps.length > 0 && `kept by ${keeps.length}`,
              wished.some((name) => !runs.includes(name)) &&
                `requested for ${wished.filter((name) => !runs.includes(name)).length}`,
              codes > 0 && count(codes, 'open code'),
            ]
              .filter(Boolean)
              .join(', ') || 'not used'}
          </span>
          <span className="svc-quiet bp-by">
            <Time at={uploadedAt} /> by <Text>{uploadedBy}</Text>
          </span>
        </li>
      ))}
    </ul>
  </Section>
)

/** The number of agents that are shown at first. */
const shownAtFirst = 12

/** The agents that were installed from a blueprint. */
export function BlueprintAgents({ slug, page: { agents } }: { slug: string; page: Blueprint }) {
  const first = useFirstRows(agents, shownAtFirst)
  return (
    <Section title="Agents installed from it" aside={count(agents.length, 'agent')} flush>
      {agents.length === 0 ? (
        <p className="svc-note">None yet.</p>
      ) : (
        <ul ref={first.list} tabIndex={-1} className="svc-rows svc-focused-part">
          {first.shown.map(({ name, running, previous, wished, wishState, level, seenAt }) => (
            <li key={name} className="bp-agent">
              <Level level={level} never={seenAt === null} iconOnly />
              <AnchorLink to={paths.agent} params={{ slug, name }}>
                {name}
              </AnchorLink>
              <span className="svc-quiet">
                {seenAt === null ? 'installed' : 'runs'} <Text>{running}</Text>
                {previous !== null && (
                  <>
                    , keeps <Text>{previous}</Text>
                  </>
                )}
              </span>
              <WishedVersion running={running} wished={wished} state={wishState} />
            </li>
          ))}
        </ul>
      )}
      {first.button && <div className="up-act">{first.button}</div>}
    </Section>
  )
}

/** The number of agents on each version, in the order of `versions`. Versions that are not among these come last. */
function agentsByVersion({ agents, versions }: Blueprint): { name: string; agents: number }[] {
  const running = Map.groupBy(agents, ({ running }) => running ?? 'not known')
  const known = versions.map(({ version }) => version)
  const names = [...known, ...[...running.keys()].filter((name) => !known.includes(name))]
  return names.map((name) => ({ name, agents: running.get(name)?.length ?? 0 }))
}
