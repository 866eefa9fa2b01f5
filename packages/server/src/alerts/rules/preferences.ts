/** The preferences of a person for one of their channels: how they are changed, stored, read and shown. */
import { type ChannelPace, channelPaces, type PersonalChannelRow, type QuietHours, type RuleName } from '@svc/api'
import { shown, type Verdict } from '@svc/protocol'
import { done, refuse } from '../../platform/verdict.ts'
import { isZone, minutesText, readTime } from './hours.ts'
import type { PersonPreferences } from './routing.ts'

/** The preferences to change; a missing one stays as it is. */
export interface PreferenceChange {
  rules?: RuleName[] | null
  pace?: ChannelPace
  quiet?: QuietHours | null
  badPasses?: boolean
  zone?: string
}

/** The preferences of a new channel: all messages, sent at once. */
export const firstPreferences: PersonPreferences = {
  rules: null,
  pace: 'at_once',
  quiet: null,
  badPasses: true,
  zone: 'UTC',
}

/** Applies a change to preferences. Quiet hours are in the time zone of the channel. */
export function changePreferences(
  before: PersonPreferences,
  change: PreferenceChange,
): Verdict<PersonPreferences, 'channel_invalid'> {
  const { rules = before.rules, pace = before.pace, badPasses = before.badPasses, zone = before.zone } = change
  if (!isZone(zone)) return invalid(`The time zone must be one such as Europe/Berlin or UTC: got ${shown(zone)}.`)
  if (rules?.length === 0) return invalid('A channel needs at least one rule. To get nothing, disable the channel.')
  const quiet = change.quiet === undefined ? done(before.quiet) : readQuiet(change.quiet, zone)
  if (!quiet.ok) return quiet
  const hours = quiet.value && { ...quiet.value, zone }
  return done({ rules: rules && [...new Set(rules)], pace, quiet: hours, badPasses, zone })
}

function readQuiet(quiet: QuietHours | null, zone: string): Verdict<PersonPreferences['quiet'], 'channel_invalid'> {
  if (quiet === null) return done(null)
  const [from, to] = [readTime(quiet.from), readTime(quiet.to)]
  const days = [...new Set(quiet.days)].sort()
  if (from === undefined || to === undefined)
    return invalid(
      `Quiet hours begin and end at times such as 22:00 and 07:00: got ${shown(quiet.from)} and ${shown(quiet.to)}.`,
    )
  if (days.length === 0 || !days.every((day) => Number.isInteger(day) && day >= 1 && day <= 7))
    return invalid('The days of quiet hours are numbers from 1 (Monday) to 7 (Sunday), at least one.')
  return done({ days, from, to, zone })
}

const invalid = (message: string) => refuse('channel_invalid', message)

export const writePreferences = (preferences: PersonPreferences): string => JSON.stringify(preferences)

/** Reads stored preferences. If this version does not know the stored pace, messages are sent at once. */
export function readPreferences(text: string | null): PersonPreferences {
  const stored = { ...firstPreferences, ...(JSON.parse(text ?? '{}') as Partial<PersonPreferences>) }
  return { ...stored, pace: channelPaces.find((pace) => pace === stored.pace) ?? 'at_once' }
}

export const shownPreferences = ({
  rules,
  pace,
  quiet,
  badPasses,
  zone,
}: PersonPreferences): Pick<PersonalChannelRow, 'rules' | 'pace' | 'quiet' | 'badPasses' | 'zone'> => ({
  rules: rules && [...rules],
  pace,
  quiet: quiet && { days: [...quiet.days], from: minutesText(quiet.from), to: minutesText(quiet.to) },
  badPasses,
  zone,
})
