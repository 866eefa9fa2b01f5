import { Button, Group } from '@mantine/core'
import type { BlueprintPage as Blueprint, BlueprintVersion } from '@svc/api'
import { sizeText } from '@svc/protocol'
import { IconDownload, IconPackageOff, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ApiError, addressFor, call } from '../data/api.ts'
import { queryKeys, read } from '../data/queries.ts'
import { paths } from '../paths.ts'
import { ErrorNote, Facts, Section, Text, Time, useConfirm, useDocumentTitle, WhyButton } from '../ui/index.ts'
import { AnchorLink, ButtonLink } from '../ui/links.tsx'
import { NotThere } from '../ui/pages/NotThere.tsx'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { BlueprintAgents, VersionsInUse } from './InUse.tsx'
import { Codes } from './install/Codes.tsx'
import { ManifestSections } from './Manifest.tsx'
import { whyNotDeletable } from './parts/words.ts'
import { Upload } from './Upload.tsx'
import './blueprints.css'

const route = getRouteApi('/signed-in/w/$slug/blueprints/$blueprint')

/** One blueprint: its versions, the contents of the selected one, and the agents installed from it. */
export function BlueprintPage() {
  const { slug, blueprint } = route.useParams()
  const { version: asked } = route.useSearch()
  const { data: page, error, refetch } = useQuery(read('GET /w/:slug/blueprints/:blueprint', { slug, blueprint }))
  const shown = page && (page.versions.find(({ version }) => version === asked) ?? page.versions[0])
  useDocumentTitle(blueprint, 'Blueprints')
  if (error instanceof ApiError && error.status === 404)
    return (
      <NotThere slug={slug} back="blueprints" icon={IconPackageOff} title="Blueprint not found">
        Its last version may have been deleted.
      </NotThere>
    )
  if (!page || !shown) return error ? <ErrorNote error={error} retry={refetch} /> : <WaitingPage />
  return (
    <>
      <VersionHead slug={slug} page={page} version={shown.version} description={shown.description} />
      {asked !== undefined && asked !== shown.version && (
        <p className="bp-gone">
          There is no version <Text>{asked}</Text>. This is {shown.version}.
        </p>
      )}
      <div className="svc-columns bp-columns">
        <div className="svc-column">
          <VersionsInUse slug={slug} page={page} shown={shown.version} />
          <BlueprintAgents slug={slug} page={page} />
          <Codes slug={slug} admin={page.canAct} blueprint={blueprint} />
        </div>
        <div className="svc-column">
          <Version key={shown.version} slug={slug} blueprint={blueprint} version={shown.version} />
          {page.canAct && <Upload slug={slug} blueprint={blueprint} />}
        </div>
      </div>
    </>
  )
}

function VersionHead({
  slug,
  page,
  version,
  description,
}: {
  slug: string
  page: Blueprint
  version: string
  description: string
}) {
  return (
    <header className="svc-head bp-head">
      <div>
        <AnchorLink to={paths.blueprints} params={{ slug }} fz="xs" c="dimmed">
          Blueprints
        </AnchorLink>
        <h1>
          {page.name} <span className="bp-version">{version}</span>
        </h1>
        {description !== '' && (
          <p>
            <Text lines>{description}</Text>
          </p>
        )}
      </div>
      {page.canAct && (
        <Group gap="xs" className="bp-head-acts">
          {page.agents.some(({ running, wished }) => running !== version && wished !== version) && (
            <ButtonLink
              to={paths.update}
              params={{ slug }}
              search={{ blueprint: page.name, version }}
              variant="default"
            >
              Update agents to this version
            </ButtonLink>
          )}
          <ButtonLink to={paths.install} params={{ slug }} search={{ blueprint: page.name, version }}>
            Install this version
          </ButtonLink>
        </Group>
      )}
    </header>
  )
}

function Version({ slug, blueprint, version }: { slug: string; blueprint: string; version: string }) {
  const query = useQuery(read('GET /w/:slug/blueprints/:blueprint/versions/:version', { slug, blueprint, version }))
  const { data } = query
  if (!data) return <QueryState of={query} />
  return (
    <>
      <ManifestSections version={data} />
      <Bundle slug={slug} version={data} />
    </>
  )
}

function Bundle({ slug, version }: { slug: string; version: BlueprintVersion }) {
  const askToDelete = useDeleteVersion(slug, version)
  const { blueprint, canAct } = version
  return (
    <Section title="Bundle" flush>
      <Facts
        facts={[
          [
            'Uploaded',
            <span key="uploaded">
              <Time at={version.uploadedAt} /> by <Text>{version.uploadedBy}</Text>
            </span>,
          ],
          ['Size', sizeText(version.size)],
          [
            'SHA-256',
            <Text key="sha" mono>
              {version.sha256}
            </Text>,
          ],
        ]}
      />
      {canAct && (
        <Group gap="xs" px={16} py={8}>
          <Button
            component="a"
            variant="default"
            size="xs"
            href={addressFor('GET /w/:slug/blueprints/:blueprint/versions/:version/bundle', {
              slug,
              blueprint,
              version: version.version,
            })}
            download
            leftSection={<IconDownload size={14} aria-hidden />}
          >
            Download zip
          </Button>
          <WhyButton
            variant="default"
            size="xs"
            leftSection={<IconTrash size={14} aria-hidden />}
            onClick={askToDelete}
            why={whyNotDeletable(version)}
          >
            {`Delete ${version.version}…`}
          </WhyButton>
        </Group>
      )}
      {canAct && whyNotDeletable(version) && <p className="svc-note">{whyNotDeletable(version)}</p>}
    </Section>
  )
}

/** Returns a function that deletes a version, after asking. Deleting the last version deletes the blueprint. */
function useDeleteVersion(slug: string, { blueprint, version }: BlueprintVersion) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const confirm = useConfirm()
  return () => {
    const page = client.getQueryData(read('GET /w/:slug/blueprints/:blueprint', { slug, blueprint }).queryKey)
    const last = page?.versions.length === 1
    confirm({
      title: `Delete ${blueprint} ${version}?`,
      content: (
        <>
          This can’t be undone.
          <ul className="svc-consequences">
            <li>The zip is deleted. This version can no longer be installed.</li>
            <li>No agent runs or keeps it, so no agent is affected.</li>
            <li>The same version number can be uploaded again, even with different content.</li>
            {last && <li>This is the last version, so the blueprint is deleted too.</li>}
          </ul>
        </>
      ),
      confirm: 'Delete version',
      danger: true,
      act: async () => {
        await call('DELETE /w/:slug/blueprints/:blueprint/versions/:version', { slug, blueprint, version })
        if (last) await navigate({ to: paths.blueprints, params: { slug }, replace: true })
        else await navigate({ to: paths.blueprint, params: { slug, blueprint }, search: {}, replace: true })
        client.removeQueries({
          queryKey: read('GET /w/:slug/blueprints/:blueprint/versions/:version', { slug, blueprint, version }).queryKey,
        })
        void client.invalidateQueries({ queryKey: queryKeys.blueprints(slug) })
      },
    })
  }
}
