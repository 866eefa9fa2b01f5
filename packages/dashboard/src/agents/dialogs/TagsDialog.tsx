import { Checkbox, Stack, TextInput } from '@mantine/core'
import type { TaggedAgent } from '@svc/api'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ApiError, call } from '../../data/api.ts'
import { queryKeys, read } from '../../data/queries.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { asTyped } from '../../ui/forms/as-typed.ts'
import { count, Dialog, DialogFooter, ErrorNote, Help, Scroll } from '../../ui/index.ts'
import { findGoneAgents } from './gone.ts'
import {
  changeInWords,
  countTags,
  pressTag,
  type TagChoices,
  type TagCounts,
  tagChangeOf,
  wrongWithTags,
} from './tags.ts'
import './tags.css'

interface TagsDialogProps {
  slug: string
  /** The names of one or more agents. */
  names: readonly string[]
  /** A sentence above the form about how the agents were selected. */
  note?: ReactNode
  onClose: () => void
  /** Called with the names of agents that no longer exist. */
  onGone?: (names: readonly string[]) => void
}

/** A dialog in which admins give agents tags and take tags from them. It shows which tags the agents have. */
export function TagsDialog({ slug, names, note, onClose, onGone }: TagsDialogProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['w', slug, 'tags', names],
    queryFn: () =>
      tagsOf(slug, names).catch(async (cause: unknown) => {
        if (onGone && cause instanceof ApiError && cause.code === 'agent_unknown')
          onGone(await findGoneAgents(slug, names))
        throw cause
      }),
    enabled: names.length > 0,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const [only] = names
  return (
    <Dialog opened onClose={onClose} title={`Tags of ${names.length === 1 ? only : count(names.length, 'agent')}`}>
      {note}
      {error && <ErrorNote error={error} retry={refetch} />}
      {!data && !error && (
        <p className="svc-quiet" role="status">
          Reading the tags…
        </p>
      )}
      {data && <TagsForm slug={slug} agents={data} onClose={onClose} />}
    </Dialog>
  )
}

/** The number of agents whose tags always fit into one answer of the service. */
const agentsAtOnce = 1000

async function tagsOf(slug: string, names: readonly string[]): Promise<TaggedAgent[]> {
  const all: TaggedAgent[] = []
  for (let i = 0; i < names.length; i += agentsAtOnce)
    all.push(...(await call('POST /w/:slug/tags/preview', { slug }, { agents: names.slice(i, i + agentsAtOnce) })))
  return all
}

function TagsForm({ slug, agents, onClose }: { slug: string; agents: readonly TaggedAgent[]; onClose: () => void }) {
  const client = useQueryClient()
  const [choices, setChoices] = useState<TagChoices>(new Map())
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const { data: frequent } = useQuery(read('GET /w/:slug/fleet/facets', { slug }, { q: '' }))
  const counts = countTags(agents)
  const all = agents.length
  const tags = [...new Set([...counts.keys(), ...(frequent?.tag ?? []).map(({ value }) => value)])].sort()
  const change = tagChangeOf(counts, all, choices, typed)
  const words = changeInWords(change, counts, all)
  const { busy, error, submit } = useChange(async () => {
    await call('POST /w/:slug/tags', { slug }, { agents: agents.map(({ name }) => name), ...change })
    for (const key of [queryKeys.fleet(slug), queryKeys.agents(slug), queryKeys.activity(slug)])
      void client.invalidateQueries({ queryKey: key })
    onClose()
  })
  const save = (event: FormEvent) => {
    event.preventDefault()
    const why = wrongWithTags(typed)
    setWrong(why)
    if (why === null) submit()
  }
  return (
    <form onSubmit={save} noValidate>
      <Stack gap="md">
        {tags.length > 0 && (
          <fieldset className="tag-boxes">
            <legend>Tags</legend>
            {tags.map((tag) => (
              <TagBox
                key={tag}
                tag={tag}
                counts={counts}
                all={all}
                choice={choices.get(tag)}
                onPress={() => setChoices(pressTag(choices, tag, { having: counts.get(tag) ?? 0, all }))}
              />
            ))}
          </fieldset>
        )}
        <TextInput
          data-autofocus
          label="New tags"
          description="Lowercase letters, digits and _ . : -, separated by commas."
          placeholder="eu, prod"
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            setWrong(null)
          }}
          error={wrong}
          {...asTyped}
        />
        {all > 1 && <EachAgent agents={agents} />}
        <p className="tag-change" role="status">
          {words === '' ? <span className="svc-quiet">Nothing changes yet.</span> : words}
        </p>
        <DialogFooter
          error={error}
          onCancel={onClose}
          submit="Save tags"
          busy={busy}
          disabled={words === '' && wrongWithTags(typed) === null}
        />
        <Help about="page#tags" />
      </Stack>
    </form>
  )
}

interface TagBoxProps {
  tag: string
  counts: TagCounts
  all: number
  choice: boolean | undefined
  onPress: () => void
}

function TagBox({ tag, counts, all, choice, onPress }: TagBoxProps) {
  const having = counts.get(tag) ?? 0
  return (
    <Checkbox
      label={
        <>
          {tag}
          {all > 1 && (
            <span className="tag-having">
              {' '}
              {having.toLocaleString('en-US')} of {all.toLocaleString('en-US')}
            </span>
          )}
        </>
      }
      checked={choice ?? having === all}
      indeterminate={choice === undefined && having > 0 && having < all}
      onChange={onPress}
    />
  )
}

/** The maximum number of agents whose tags are drawn. */
const maxDrawn = 500

/** The tags that each agent has, in a list that opens. */
function EachAgent({ agents }: { agents: readonly TaggedAgent[] }) {
  const more = agents.length - maxDrawn
  return (
    <details className="tag-each">
      <summary>Tags of each agent</summary>
      <Scroll label="Tags of each agent" className="tag-each-list">
        <dl>
          {agents.slice(0, maxDrawn).map(({ name, tags }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{tags.length > 0 ? tags.join(', ') : <span className="svc-quiet">none</span>}</dd>
            </div>
          ))}
        </dl>
        {more > 0 && <p className="svc-quiet">and {count(more, 'more agent')}</p>}
      </Scroll>
    </details>
  )
}
