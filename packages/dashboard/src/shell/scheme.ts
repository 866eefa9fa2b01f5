import { useMantineColorScheme } from '@mantine/core'

/** Light, dark, or as the system says; remembered on this machine. */
export function useScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return { chosen: colorScheme, choose: setColorScheme }
}
