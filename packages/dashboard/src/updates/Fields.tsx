/** The input fields of the form that updates many agents. */
import { Checkbox, NativeSelect, NumberInput, Radio, Stack, TextInput } from '@mantine/core'
import { hintBelow } from '../ui/forms/as-typed.ts'
import { count } from '../ui/index.ts'
import type { UpdatePlan } from './plan.ts'

interface FieldProps {
  plan: UpdatePlan
  change: (what: Partial<UpdatePlan>) => void
}

interface VersionChoiceProps extends FieldProps {
  blueprints: string[]
  versions: string[]
  /** The version of the served runtime: null if none is served, undefined while it is not known yet. */
  served: string | null | undefined
}

/** The fields for what to update (a blueprint or the runtime), and to which version. */
export function VersionChoice({ plan, change, blueprints, versions, served }: VersionChoiceProps) {
  return (
    <>
      <Radio.Group
        label="Update"
        value={plan.kind}
        onChange={(kind) => change({ kind: kind === 'runtime' ? 'runtime' : 'blueprint' })}
      >
        <div className="svc-pair up-kinds">
          <Radio value="blueprint" label="A blueprint version" disabled={blueprints.length === 0} />
          <Radio
            value="runtime"
            label={served ? `The runtime, ${served}` : 'The runtime (none is served)'}
            disabled={served === null}
          />
        </div>
      </Radio.Group>
      {plan.kind === 'blueprint' && (
        <div className="svc-pair">
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
              value={plan.version}
              onChange={(event) => change({ version: event.currentTarget.value })}
              disabled={versions.length === 0}
            />
          )}
        </div>
      )}
    </>
  )
}

/** The choice of the agents to update: all agents, or `names`, the agents that were selected in the list of agents. */
export const ChosenAgents = ({ plan, change, names }: FieldProps & { names: readonly string[] }) => (
  <Radio.Group
    label="Which agents"
    value={plan.agents ? 'chosen' : 'all'}
    onChange={(agents) => change({ agents: agents === 'chosen' ? names : undefined })}
  >
    <Stack gap={6} mt={4}>
      <Radio value="chosen" label={`The ${count(names.length, 'agent')} you selected`} />
      <Radio value="all" label={plan.kind === 'runtime' ? 'All agents' : 'All agents of the blueprint'} />
    </Stack>
  </Radio.Group>
)

/** The choice to update in waves, to update all at once, or to cancel pending updates. */
export const RolloutChoice = ({ plan, change }: FieldProps) => (
  <Radio.Group label="Rollout" value={plan.how} onChange={(how) => change({ how: how as UpdatePlan['how'] })}>
    <Stack gap={6} mt={4}>
      <Radio
        value="waves"
        label="In waves"
        description="Halts by itself when an agent rolls back, fails or gets worse."
      />
      <Radio value="once" label="At once" description="One wave: every agent gets the request with its next report." />
      <Radio
        value="withdraw"
        label="Cancel pending updates"
        description="Agents that have already started will finish."
      />
    </Stack>
  </Radio.Group>
)

/** The fields for the sizes of waves and the time between them. */
export const WaveFields = ({ plan, change, good }: FieldProps & { good: boolean }) => (
  <>
    <div className="svc-pair">
      <TextInput
        label="Waves"
        description="Cumulative size of each wave, e.g. 1, 10%, all."
        inputWrapperOrder={hintBelow}
        value={plan.waves}
        onChange={(event) => change({ waves: event.currentTarget.value })}
        error={good ? null : 'Enter numbers or percentages, e.g. 1, 10%, all'}
        autoComplete="off"
      />
      {!plan.byHand && (
        <NumberInput
          label="Minutes to watch each wave"
          min={0}
          max={10_080}
          value={plan.minutes}
          onChange={(minutes) => change({ minutes: typeof minutes === 'number' ? minutes : 0 })}
        />
      )}
    </div>
    <Checkbox
      label="Wait for my approval before each wave"
      checked={plan.byHand}
      onChange={(event) => change({ byHand: event.currentTarget.checked })}
    />
  </>
)
