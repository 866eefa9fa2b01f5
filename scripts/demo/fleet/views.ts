/** The views of the workspace in a demo. */
export const fleetViews: readonly { name: string; filter: string }[] = [
  { name: 'Bad in eu', filter: 'level:bad tag:eu' },
  { name: 'Needs attention', filter: 'level:bad,warn is:online' },
  { name: 'Outdated', filter: 'version:<1.4.0' },
  { name: 'Of support', filter: 'tag:team:support' },
  { name: 'Expensive today', filter: 'cost:>1' },
]
