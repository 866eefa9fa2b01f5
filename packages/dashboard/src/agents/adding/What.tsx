import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { NewToken } from '@svc/api'
import { trimInvisible } from '@svc/protocol'
import { IconCheck, IconClock, IconPackage, IconTerminal2 } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type ComponentType, type FormEvent, useState } from 'react'
import { call } from '../../data/api.ts'
import { queryKeys } from '../../data/queries.ts'
import { type AddedThing, addedThings, paths } from '../../paths.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { asTyped, hintBelow } from '../../ui/forms/as-typed.ts'
import { ErrorNote, Help } from '../../ui/index.ts'
import { AnchorLink, ButtonLink } from '../../ui/links.tsx'
import { TagsField } from '../dialogs/TagsField.tsx'
import { NumberedStep } from '../dialogs/TokenSteps.tsx'
import { readTypedTags, wrongWithTags } from '../dialogs/tags.ts'
import { freeName, useTakenNames, wrongWithNewName } from './names.ts'

type ConnectedThing = Exclude<AddedThing, 'blueprint'>
/** An agent to be made for a program or for cron jobs that run already. */
export interface WhatToAdd {
  readonly what: ConnectedThing
  /** The name that the person chose, or the default name, without the number that a name gets if it is taken. */
  readonly base: string
  readonly tags: readonly string[]
}

const things: Readonly<Record<AddedThing, { name: string; says: string; icon: ComponentType<{ size: number }> }>> = {
  program: { name: 'A program', says: 'A script, a bot or a service that already runs.', icon: IconTerminal2 },
  cron: { name: 'Cron jobs', says: 'The crontab of one user on one machine.', icon: IconClock },
  blueprint: { name: 'A blueprint', says: 'A packed agent, which svc installs and updates.', icon: IconPackage },
}

interface WhatProps {
  slug: string
  what: AddedThing
  onAdded: (token: NewToken, to: WhatToAdd) => void
}

const steps = ['What you have', 'Paste one command on the machine', 'Its first report'] as const

/** The three steps of the page, with the present one marked. */
export const AddingSteps = ({ at }: { at: 1 | 2 | 3 }) => (
  <ol className="svc-list add-steps" aria-label="Steps">
    {steps.map((words, i) => (
      <li
        key={words}
        data-is={i + 1 < at ? 'done' : i + 1 === at ? 'now' : 'later'}
        aria-current={i + 1 === at ? 'step' : undefined}
      >
        <span className="add-step-sign">
          {i + 1 < at ? <IconCheck size={13} stroke={3} aria-label="done" /> : i + 1}
        </span>
        {words}
      </li>
    ))}
  </ol>
)

/** The first step: the choice of what the agent is, and of its name. */
export const WhatToWatch = ({ slug, what, onAdded }: WhatProps) => (
  <div className="svc-column">
    <AddingSteps at={1} />
    <NumberedStep order={2} title="What do you have?">
      <nav className="add-things" aria-label="What do you have?">
        {addedThings.map((thing) => (
          <Thing key={thing} slug={slug} thing={thing} chosen={thing === what} />
        ))}
      </nav>
    </NumberedStep>
    {what === 'blueprint' ? (
      <BlueprintChoice slug={slug} />
    ) : (
      <NameForm key={what} slug={slug} what={what} onAdded={onAdded} />
    )}
  </div>
)

/** A link that puts the choice into the address. It replaces the entry in the browser's history. */
function Thing({ slug, thing, chosen }: { slug: string; thing: AddedThing; chosen: boolean }) {
  const { name, says, icon: Icon } = things[thing]
  return (
    <AnchorLink
      className="add-thing"
      to={paths.add}
      params={{ slug }}
      search={thing === 'program' ? {} : { what: thing }}
      activeOptions={{ exact: true, includeSearch: true }}
      underline="never"
      resetScroll={false}
      replace
      aria-current={chosen ? 'true' : undefined}
      data-chosen={chosen}
    >
      <Icon size={20} aria-hidden />
      <span>
        <strong>{name}</strong>
        <span className="svc-quiet">{says}</span>
      </span>
    </AnchorLink>
  )
}

const BlueprintChoice = ({ slug }: { slug: string }) => (
  <>
    <p className="add-says">
      A code, valid once, installs the agent on any machine: with its settings, its logs and its versions.{' '}
      <Help about="blueprints#for-authors" />
    </p>
    <Group>
      <ButtonLink to={paths.install} params={{ slug }}>
        Choose a blueprint
      </ButtonLink>
    </Group>
  </>
)

/** The names that agents get by default, before a number is added. */
const usual: Readonly<Record<ConnectedThing, string>> = { program: 'my-agent', cron: 'cron-jobs' }

function NameForm({ slug, what, onAdded }: WhatProps & { what: ConnectedThing }) {
  const usualTaken = useTakenNames(slug, usual[what])
  const [typed, setTyped] = useState<string>()
  /** The suggested name, kept while the field has the focus, so that a late answer does not change a selected text. */
  const [offered, setOffered] = useState<string>()
  const [tags, setTags] = useState('')
  const [pressed, setPressed] = useState(false)
  const name = typed ?? offered ?? freeName(usual[what], usualTaken)
  const [settled] = useDebouncedValue(trimInvisible(name), 250)
  const taken = useTakenNames(slug, settled)
  const whyName = wrongWithNewName(name, settled === trimInvisible(name) ? taken : undefined)
  const whyTags = wrongWithTags(tags)
  const { busy, error, submit, forgetError } = useAdding(slug, onAdded)
  const add = (event: FormEvent) => {
    event.preventDefault()
    setPressed(true)
    const base = typed === undefined ? usual[what] : trimInvisible(typed)
    if (whyName === null && whyTags === null)
      submit({ name: trimInvisible(name), what, base, tags: readTypedTags(tags) })
  }
  const isTaken = whyName !== null && taken?.has(settled)
  return (
    <form onSubmit={add} noValidate>
      <Stack gap="md">
        <div className="svc-pair">
          <TextInput
            label="Name"
            description={`${typed === undefined ? 'A suggestion: type over it. ' : ''}Lowercase letters, digits and hyphens. It can be renamed later.`}
            inputWrapperOrder={hintBelow}
            value={name}
            onFocus={(event) => {
              setOffered(name)
              if (typed === undefined) event.currentTarget.select()
            }}
            onBlur={() => setOffered(undefined)}
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              setPressed(false)
              forgetError()
            }}
            error={(pressed || isTaken) && whyName}
            {...asTyped}
          />
          <TagsField value={tags} onChange={(event) => setTags(event.currentTarget.value)} error={pressed && whyTags} />
        </div>
        {error !== null && <ErrorNote error={error} />}
        <Group gap="md">
          <Button type="submit" loading={busy}>
            Add agent
          </Button>
          <ButtonLink to={paths.fleet} params={{ slug }} variant="default">
            Cancel
          </ButtonLink>
          <Help about={what === 'cron' ? 'jobs#adopt-your-crontab' : 'start#connect-a-program-that-already-runs'} />
        </Group>
      </Stack>
    </form>
  )
}

/** Returns the function `submit`, which makes an agent and its token, and the state of that request. */
export function useAdding(slug: string, onAdded: WhatProps['onAdded']) {
  const client = useQueryClient()
  return useChange(async ({ name, ...to }: WhatToAdd & { name: string }) => {
    const token = await call('POST /w/:slug/agents', { slug }, { name, tags: [...to.tags] })
    void client.invalidateQueries({ queryKey: queryKeys.workspace(slug) })
    onAdded(token, to)
  })
}
