import { Stack } from '@mantine/core'
import type { BlueprintRow } from '@svc/api'
import { IconPackage } from '@tabler/icons-react'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { FetchProgram } from '../agents/dialogs/FetchProgram.tsx'
import { meQuery, read } from '../data/queries.ts'
import { useSlug, useWorkspace } from '../data/workspace.ts'
import { paths } from '../paths.ts'
import { count, Empty, PageHeader, Section, Text, Time, useDocumentTitle } from '../ui/index.ts'
import { AnchorLink, ButtonLink } from '../ui/links.tsx'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { ReachNote } from '../ui/values/ReachNote.tsx'
import { VersionBar } from '../updates/parts/VersionBar.tsx'
import { Codes } from './install/Codes.tsx'
import { Upload } from './Upload.tsx'
import './blueprints.css'

/** The blueprints of the workspace, the open install codes, and the upload of another blueprint. */
export function BlueprintsPage() {
  const slug = useSlug()
  const { name, role } = useWorkspace()
  const admin = role === 'admin'
  const query = useQuery(read('GET /w/:slug/blueprints', { slug }))
  const { data } = query
  useDocumentTitle('Blueprints', name)
  return (
    <>
      <PageHeader
        title="Blueprints"
        note="Versioned packages that agents are installed from."
        actions={
          admin &&
          data &&
          data.rows.length > 0 && (
            <ButtonLink to={paths.install} params={{ slug }}>
              Install an agent
            </ButtonLink>
          )
        }
      />
      <div className="svc-column">
        <QueryState of={query} />
        {data &&
          (data.rows.length > 0 ? (
            <ul className="bp-list" aria-label="Blueprints">
              {data.rows.map((row) => (
                <Line key={row.name} slug={slug} row={row} />
              ))}
            </ul>
          ) : (
            <NoBlueprints admin={admin} />
          ))}
        {data && <Codes slug={slug} admin={admin} />}
        {data && admin && <Upload slug={slug} />}
      </div>
    </>
  )
}

const Line = ({ slug, row }: { slug: string; row: BlueprintRow }) => (
  <li>
    <div className="bp-line-name">
      <AnchorLink to={paths.blueprint} params={{ slug, blueprint: row.name }} fw={600} fz="md">
        {row.name}
      </AnchorLink>{' '}
      <span className="bp-version">{row.latest}</span>
    </div>
    {row.description !== '' && (
      <p>
        <Text>{row.description}</Text>
      </p>
    )}
    <p className="svc-quiet">
      {agentsText(row)} · {count(row.versions, 'version')} · uploaded <Time at={row.uploadedAt} /> by{' '}
      <Text>{row.uploadedBy}</Text>
    </p>
    <VersionBar
      title={`Agents of ${row.name} by version`}
      versions={row.running.map(({ version, agents }) => ({ name: version || 'rare versions', agents }))}
    />
  </li>
)

/** The number of agents. If all run the same version, and not the latest, the text names it: `2 agents on 1.0.0`. */
function agentsText({ agents, latest, running: [first, ...others] }: BlueprintRow): string {
  const only = others.length === 0 ? first?.version : undefined
  return `${count(agents, 'agent')}${only && only !== latest ? ` on ${only}` : ''}`
}

/** Shows the shell lines that download the program `svc`; nothing if this service has none to download. */
function FetchHere() {
  const { service } = useSuspenseQuery(meQuery).data
  if (!service.runtime) return null
  return (
    <Stack gap={8}>
      <ReachNote address={service.baseUrl} />
      <FetchProgram baseUrl={service.baseUrl} />
    </Stack>
  )
}

const NoBlueprints = ({ admin }: { admin: boolean }) =>
  admin ? (
    <Section title="Your first blueprint">
      <Empty icon={IconPackage} title="No blueprints yet" order={3} help="blueprints#for-authors">
        On your machine, <code>svc new NAME</code> writes a starting one, <code>svc check</code> says what is wrong with
        it, and <code>svc pack</code> makes the zip to upload here.
      </Empty>
      <FetchHere />
    </Section>
  ) : (
    <Empty icon={IconPackage} title="No blueprints yet" help="runtime#installing-with-a-code">
      Blueprints that admins upload will be listed here.
    </Empty>
  )
