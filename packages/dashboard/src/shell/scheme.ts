import { useMantineColorScheme } from '@mantine/core'

/** Light, dark, or the system's scheme; remembered in this browser. */
export function useScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return { chosen: colorScheme, choose: setColorScheme }
}
