import { Checkbox, NativeSelect, NumberInput, Radio, Stack, TextInput } from '@mantine/core'
import type { WishResult } from '@svc/api'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../../api.ts'
import { useSubmit } from '../../forms/useSubmit.ts'
import { ButtonLink } from '../../links.tsx'
import { paths } from '../../paths.ts'
import { blueprintQuery, blueprintsQuery, keys, rolloutQuery, runtimeQuery } from '../../queries.ts'
import { count, ErrorNote, PageHeader, useDocumentTitle, WhyButton } from '../../ui/index.ts'
import { useWorkspace } from '../../workspace.ts'
import { WaitingPage } from '../WaitingPage.tsx'
import { Preview } from './Preview.tsx'
import { chosenIn } from './parts/chosen.ts'
import { NewSecrets } from './parts/NewSecrets.tsx'
import { Unsigned } from './parts/Unsigned.tsx'
import { readWaves } from './parts/words.ts'
import { type Plan, rolloutOf, usualWaves, wishesOf } from './plan.ts'
import { Results } from './Results.tsx'
import './parts/updates.css'
import './updates-page.css'

const route = getRouteApi('/signed-in/w/$slug/updates/new')

/** A version for a selection of agents or for all: at once, or in waves that halt by themselves. */
export function UpdatePage() {
  const { slug } = route.useParams()
  const { role } = useWorkspace()
  const { data, error, refetch } = useQuery(blueprintsQuery(slug))
  useDocumentTitle('Update agents', 'Updates')
  return (
    <>
      <PageHeader
        title="Update agents"
        note="Each agent tries the version by itself, keeps it if it is healthy, and goes back if it is not."
      />
      {error && <ErrorNote error={error} retry={refetch} />}
      {role !== 'admin' ? (
        <p>Only admins of this workspace can update agents.</p>
      ) : data ? (
        <Form slug={slug} blueprints={data.rows.map(({ name }) => name)} />
      ) : (
        !error && <WaitingPage />
      )}
    </>
  )
}

function Form({ slug, blueprints }: { slug: string; blueprints: string[] }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const client = useQueryClient()
  const [names] = useState(() => (search.agents === 'chosen' ? chosenIn(slug) : []))
  const [plan, setPlan] = useState<Plan>({
    kind: search.blueprint !== undefined || blueprints.length > 0 ? 'blueprint' : 'runtime',
    blueprint: blueprints.find((name) => name === search.blueprint) ?? blueprints[0] ?? '',
    version: search.version ?? '',
    agents: names.length > 0 ? names : undefined,
    how: 'waves',
    waves: usualWaves,
    byHand: false,
    minutes: 10,
  })
  const change = (what: Partial<Plan>) => setPlan((before) => ({ ...before, ...what }))
  const { data: page } = useQuery({ ...blueprintQuery(slug, plan.blueprint), enabled: plan.blueprint !== '' })
  const { data: runtime } = useQuery(runtimeQuery(slug))
  const versions = page?.versions.map(({ version }) => version) ?? []
  const whole = { ...plan, version: versions.find((version) => version === plan.version) ?? versions[0] ?? '' }
  const rollout = rolloutOf(whole)
  const preview = useQuery({
    queryKey: [...keys.rollouts(slug), 'preview', rollout],
    queryFn: () => (rollout ? api.previewRollout(slug, rollout) : null),
    enabled: rollout !== undefined,
    placeholderData: keepPreviousData,
  })
  const reached = preview.data?.waves.flatMap(({ agents }) => agents) ?? []
  const told = new Set(reached)
  const running = page?.agents.flatMap((agent) => (told.has(agent.name) ? agent.running : [])) ?? []
  const left = preview.data?.leftOut.map(({ agent }) => agent) ?? []
  const [results, setResults] = useState<WishResult[] | null>(null)
  const { busy, error, submit } = useSubmit(async () => {
    if (!rollout) return
    if (whole.how === 'waves') {
      const made = await api.startRollout(slug, rollout)
      client.setQueryData(rolloutQuery(slug, made.id).queryKey, made)
      void client.invalidateQueries({ queryKey: keys.rollouts(slug), exact: true })
      return navigate({ to: paths.rollout, params: { slug, id: made.id } })
    }
    const became: WishResult[] = []
    for (const wish of wishesOf(whole, whom)) became.push(...(await api.updateMany(slug, wish)))
    setResults(became)
    for (const key of [keys.fleet(slug), keys.agents(slug), keys.blueprints(slug), keys.rollouts(slug)])
      void client.invalidateQueries({ queryKey: key })
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (why === null) submit(undefined)
  }
  const wavesGood = plan.how !== 'waves' || readWaves(plan.waves) !== undefined
  const whom = plan.agents ?? (plan.how === 'withdraw' ? [...reached, ...left] : reached)
  const known = preview.data && !preview.isPlaceholderData
  const why = busy
    ? 'It is being sent.'
    : !rollout
      ? 'The form is not complete yet.'
      : !known
        ? 'Who would be reached is still being asked for.'
        : (plan.how === 'withdraw' ? whom : reached).length === 0
          ? 'No agent would be reached.'
          : null
  if (results) return <Results slug={slug} results={results} how={plan.how} again={() => setResults(null)} />
  return (
    <form className="up-form" onSubmit={send} noValidate>
      <Stack gap="md">
        <Radio.Group
          label="What"
          value={plan.kind}
          onChange={(kind) => change({ kind: kind === 'runtime' ? 'runtime' : 'blueprint' })}
        >
          <Stack gap={6} mt={4}>
            <Radio value="blueprint" label="A version of a blueprint" disabled={blueprints.length === 0} />
            <Radio
              value="runtime"
              label={runtime?.served ? `The runtime, ${runtime.served.version}` : 'The runtime (none is served)'}
              disabled={runtime !== undefined && runtime.served === null}
            />
          </Stack>
        </Radio.Group>
        {plan.kind === 'blueprint' && (
          <>
            <NativeSelect
              label="Blueprint"
              data={blueprints}
              value={plan.blueprint}
              onChange={(event) => change({ blueprint: event.currentTarget.value, version: '' })}
            />
            {plan.how !== 'withdraw' && (
              <NativeSelect
                label="Version"
                data={versions}
                value={whole.version}
                onChange={(event) => change({ version: event.currentTarget.value })}
                disabled={versions.length === 0}
              />
            )}
          </>
        )}
        {names.length > 0 && (
          <Radio.Group
            label="Whom"
            value={plan.agents ? 'chosen' : 'all'}
            onChange={(whom) => change({ agents: whom === 'chosen' ? names : undefined })}
          >
            <Stack gap={6} mt={4}>
              <Radio value="chosen" label={`The ${count(names.length, 'agent')} that you chose`} />
              <Radio value="all" label={plan.kind === 'runtime' ? 'All agents' : 'All agents of the blueprint'} />
            </Stack>
          </Radio.Group>
        )}
        <Radio.Group label="How" value={plan.how} onChange={(how) => change({ how: how as Plan['how'] })}>
          <Stack gap={6} mt={4}>
            <Radio
              value="waves"
              label="In waves"
              description="Halts by itself when an agent goes back, fails or gets worse."
            />
            <Radio value="once" label="At once" description="Every agent is told with its next report." />
            <Radio
              value="withdraw"
              label="Withdraw what is wished"
              description="Agents are not told any more; what a machine has begun it ends."
            />
          </Stack>
        </Radio.Group>
        {plan.how === 'waves' && (
          <>
            <TextInput
              label="Waves"
              description="How many have been reached after each: numbers or shares, with commas. The last is all."
              value={plan.waves}
              onChange={(event) => change({ waves: event.currentTarget.value })}
              error={wavesGood ? null : 'Such as: 1, 10 %, all'}
              autoComplete="off"
            />
            <Checkbox
              label="I say when each wave begins"
              checked={plan.byHand}
              onChange={(event) => change({ byHand: event.currentTarget.checked })}
            />
            {!plan.byHand && (
              <NumberInput
                label="Minutes to watch each wave before the next"
                min={0}
                max={10_080}
                value={plan.minutes}
                onChange={(minutes) => change({ minutes: typeof minutes === 'number' ? minutes : 0 })}
              />
            )}
          </>
        )}
        {plan.kind === 'blueprint' && plan.how !== 'withdraw' && whole.version !== '' && (
          <NewSecrets slug={slug} blueprint={plan.blueprint} version={whole.version} running={running} />
        )}
        {plan.kind === 'runtime' && plan.how !== 'withdraw' && runtime?.served?.signed === false && (
          <Unsigned version={runtime.served.version} />
        )}
        <p className="svc-quiet">{undo[plan.how]}</p>
        {error !== null && <ErrorNote error={error} />}
        <div className="up-buttons">
          <ButtonLink to={paths.updates} params={{ slug }} variant="default">
            Cancel
          </ButtonLink>
          <WhyButton type="submit" onClick={() => undefined} why={why}>
            {verbs[plan.how](plan.how === 'withdraw' ? null : reached.length)}
          </WhyButton>
        </div>
      </Stack>
      {rollout && plan.how !== 'withdraw' && <Preview slug={slug} how={plan.how} preview={preview} />}
    </form>
  )
}

const verbs: Readonly<Record<Plan['how'], (reached: number | null) => string>> = {
  waves: (reached) => `Begin with ${count(reached ?? 0, 'agent')}`,
  once: (reached) => `Tell ${count(reached ?? 0, 'agent')}`,
  withdraw: () => 'Withdraw',
}

const undo: Readonly<Record<Plan['how'], string>> = {
  waves: 'It can be paused and cancelled at any time. Agents that have the version keep it until another is named.',
  once: 'Until an agent has begun, its wish can be withdrawn. Afterwards, name the version that it ran before.',
  withdraw: 'This can be undone: name the version again.',
}
