import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import type { NewCode } from '@svc/api'
import { maxCodesAtOnce, numberIn, trimInvisible } from '@svc/protocol'
import { IconPackage } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { wrongWithName } from '../../agents/dialogs/names.ts'
import { TagsField } from '../../agents/dialogs/TagsField.tsx'
import { readTypedTags, wrongWithTags } from '../../agents/dialogs/tags.ts'
import { call } from '../../data/api.ts'
import { queryKeys, read } from '../../data/queries.ts'
import { useWorkspace } from '../../data/workspace.ts'
import { paths } from '../../paths.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { Empty, ErrorNote, PageHeader, Section, Text, useDocumentTitle } from '../../ui/index.ts'
import { AnchorLink, ButtonLink } from '../../ui/links.tsx'
import { WaitingPage } from '../../ui/pages/WaitingPage.tsx'
import { VersionBrief } from './Brief.tsx'
import { keepIssuedCode } from './issued.ts'
import { SeveralCodes } from './Several.tsx'
import './install.css'
import { asTyped, hintBelow } from '../../ui/forms/as-typed.ts'

const route = getRouteApi('/signed-in/w/$slug/install')

/**
 * A form for a blueprint, a version and the name of a new agent. The form issues an install code for exactly this agent
 * (2.9), or several codes, each for an agent with a numbered name.
 */
export function InstallPage() {
  const { slug } = route.useParams()
  const { role } = useWorkspace()
  const { blueprint } = route.useSearch()
  const { data, error, refetch, isFetching } = useQuery(read('GET /w/:slug/blueprints', { slug }))
  const names = data?.rows.map(({ name }) => name)
  // A link may name a blueprint that was just uploaded and is not in the cached list yet, so wait for the new list.
  const list = isFetching && blueprint !== undefined && !names?.includes(blueprint) ? undefined : names
  const [issued, setIssued] = useState<{ first: NewCode; codes: readonly NewCode[] }>()
  useDocumentTitle('Install an agent')
  if (issued)
    return (
      <div className="in-page">
        <SeveralCodes slug={slug} {...issued} />
      </div>
    )
  return (
    <div className="in-page">
      <div className="svc-page-above">
        <AnchorLink to={paths.blueprints} params={{ slug }} fz="xs" c="dimmed">
          Blueprints
        </AnchorLink>
      </div>
      <PageHeader
        title="Install an agent"
        note="A one-time code, valid for 15 minutes, installs the agent on any machine."
      />
      {error && <ErrorNote error={error} retry={refetch} />}
      {!list && !error && <WaitingPage />}
      {role !== 'admin' ? (
        <p>Only admins of this workspace can issue install codes.</p>
      ) : (
        list &&
        (list.length > 0 ? <Form slug={slug} names={list} onSeveral={setIssued} /> : <NoBlueprints slug={slug} />)
      )}
    </div>
  )
}

interface InstallFormProps {
  slug: string
  names: string[]
  onSeveral: (issued: { first: NewCode; codes: readonly NewCode[] }) => void
}

function Form({ slug, names, onSeveral }: InstallFormProps) {
  const client = useQueryClient()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const blueprint = names.find((name) => name === search.blueprint) ?? names[0] ?? ''
  const { data: page, error: unread } = useQuery(read('GET /w/:slug/blueprints/:blueprint', { slug, blueprint }))
  const versions = page?.versions.map(({ version }) => version) ?? []
  const version = versions.find((each) => each === search.version) ?? versions[0] ?? ''
  const { data: chosen } = useQuery({
    ...read('GET /w/:slug/blueprints/:blueprint/versions/:version', { slug, blueprint, version }),
    enabled: version !== '',
  })
  const [agent, setAgent] = useState(search.agent ?? '')
  const [wrong, setWrong] = useState<string | null>(null)
  const [tags, setTags] = useState('')
  const [wrongTags, setWrongTags] = useState<string | null>(null)
  const [number, setNumber] = useState('1')
  const [wrongNumber, setWrongNumber] = useState<string | null>(null)
  const choose = (to: { blueprint: string; version?: string }) => void navigate({ search: to, replace: true })
  const { busy, error, submit } = useChange(async (name: string) => {
    const given = readTypedTags(tags)
    const named = { ...(name !== '' && { agent: name }), ...(given.length > 0 && { tags: given }) }
    const wanted = countIn(number) ?? 1
    const { codes = [], ...made } = await call(
      'POST /w/:slug/codes',
      { slug },
      { blueprint, version, ...named, ...(wanted > 1 && { count: wanted }) },
    )
    if (codes.length > 1) {
      void client.invalidateQueries({ queryKey: queryKeys.blueprints(slug) })
      return onSeveral({ first: made, codes })
    }
    keepIssuedCode(made)
    const { code: _shownOnce, warnings: _, ...facts } = made
    client.setQueryData(read('GET /w/:slug/codes/:id', { slug, id: made.id }).queryKey, facts)
    void client.invalidateQueries({ queryKey: queryKeys.blueprints(slug) })
    void client.invalidateQueries({ queryKey: read('GET /w/:slug/codes', { slug }).queryKey })
    await navigate({ to: paths.code, params: { slug, id: made.id } })
  })

  const issue = (event: FormEvent) => {
    event.preventDefault()
    const name = trimInvisible(agent)
    const why = name === '' ? null : wrongWithName(name)
    const whyTags = wrongWithTags(tags)
    setWrong(why)
    setWrongTags(whyTags)
    const whyNumber = countIn(number) === undefined ? `A whole number from 1 to ${maxCodesAtOnce}.` : null
    setWrongNumber(whyNumber)
    if (why === null && whyTags === null && whyNumber === null && version !== '') submit(name)
  }
  return (
    <form onSubmit={issue} noValidate className="svc-columns in-columns">
      <Stack gap="md">
        <div className="svc-pair">
          <NativeSelect
            label="Blueprint"
            data={names}
            value={blueprint}
            onChange={(event) => choose({ blueprint: event.currentTarget.value })}
          />
          <NativeSelect
            label="Version"
            data={versions}
            value={version}
            disabled={versions.length === 0}
            onChange={(event) => choose({ blueprint, version: event.currentTarget.value })}
          />
        </div>
        <div className="svc-pair">
          <TextInput
            label="Agent name"
            description="Lowercase letters, digits and hyphens. Leave empty to use the blueprint’s name."
            inputWrapperOrder={hintBelow}
            placeholder={blueprint}
            value={agent}
            onChange={(event) => {
              setAgent(event.currentTarget.value)
              setWrong(null)
            }}
            error={wrong}
            {...asTyped}
          />
          <TextInput
            label="Number of codes"
            description="Each installs one agent on one machine, with the next free name."
            inputWrapperOrder={hintBelow}
            value={number}
            inputMode="numeric"
            onChange={(event) => {
              setNumber(event.currentTarget.value)
              setWrongNumber(null)
            }}
            error={wrongNumber}
            {...asTyped}
          />
        </div>
        <TagsField
          value={tags}
          onChange={(event) => {
            setTags(event.currentTarget.value)
            setWrongTags(null)
          }}
          error={wrongTags}
        />
        {unread && <ErrorNote error={unread} />}
        {error !== null && <ErrorNote error={error} />}
        <Group gap="xs">
          <Button type="submit" loading={busy} disabled={version === ''}>
            {(countIn(number) ?? 1) > 1 ? `Issue ${countIn(number)} codes` : 'Issue code'}
          </Button>
          <ButtonLink to={paths.blueprints} params={{ slug }} variant="default">
            Cancel
          </ButtonLink>
        </Group>
      </Stack>
      {chosen && (
        <Section title={<Text>{`${blueprint} ${version}`}</Text>} flush>
          <VersionBrief version={chosen} />
        </Section>
      )}
    </form>
  )
}

/** The number of codes that somebody typed; undefined for a number that the service would refuse. */
function countIn(typed: string): number | undefined {
  const number = numberIn(typed)
  return /^\d{1,3}$/.test(number) && Number(number) >= 1 && Number(number) <= maxCodesAtOnce
    ? Number(number)
    : undefined
}

const NoBlueprints = ({ slug }: { slug: string }) => (
  <Empty
    icon={IconPackage}
    title="Nothing to install yet"
    help="blueprints#for-authors"
    action={
      <ButtonLink to={paths.blueprints} params={{ slug }}>
        Upload a blueprint
      </ButtonLink>
    }
  >
    Agents are installed from blueprints. Upload one first.
  </Empty>
)
