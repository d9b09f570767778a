import CheckIcon from '@mui/icons-material/CheckCircleOutlined';
import OpenIcon from '@mui/icons-material/RadioButtonUnchecked';
import { Box, Button } from '@mui/material';
import { useStore } from 'react-admin';
import { root } from '../data/api.ts';
import { useDescriptions } from '../data/DescriptionsProvider.tsx';
import { isBuiltin } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { Line, Section } from '../widgets/Section.tsx';
import { useDiagnosis } from './useOverview.ts';

interface Step {
  name: string;
  how: string;
  done: boolean;
  /** The person ticks a step that the service cannot check. */
  tick?: () => void;
  link?: string;
}

/** The setup steps of a new installation. The list disappears when all steps are done, or when the person hides it. */
export function Checklist() {
  const steps = useSteps();
  const [isHidden, setHidden] = useStore('overview.checklist.hidden', false);
  if (!steps || isHidden || steps.every(({ done }) => done)) return null;
  return (
    <Section title={translate('Set up')}>
      <Box
        component="ul"
        className="lines"
        sx={{ display: 'grid', gridTemplateColumns: 'repeat(auto-fit, minmax(min(210px, 100%), 1fr))' }}
      >
        {steps.map((step) => (
          <Item key={step.name} step={step} />
        ))}
      </Box>
      <Button size="small" sx={{ m: 1 }} onClick={() => setHidden(true)}>
        {translate('Hide this list')}
      </Button>
    </Section>
  );
}

function useSteps(): Step[] | undefined {
  const { data } = useDiagnosis();
  const descriptions = useDescriptions();
  const [isBackedUp, setBackedUp] = useStore('overview.checklist.backup', false);
  if (!data) return undefined;
  const isFine = (part: RegExp) => !data.findings.some((found) => part.test(found.part) && found.state !== 'ok');
  return [
    {
      name: translate('Mail'),
      how: translate('Set SMTP_URL, so that people can reset their passwords.'),
      done: isFine(/^mail$/),
    },
    {
      name: translate('Address'),
      how: translate('Set BASE_URL to the https address that people use.'),
      done: isFine(/^(address|cookies)$/) && location.protocol === 'https:',
    },
    {
      name: translate('Second factor'),
      how: translate('Add a passkey or an authenticator app to your account.'),
      done: isFine(/factors$/),
      link: `${root}/settings/security`,
    },
    {
      name: translate('Backup'),
      how: translate('Run “gatehouse backup” every day, and restore a copy once to try it.'),
      done: isBackedUp,
      tick: () => setBackedUp(true),
    },
    {
      name: translate('First resource'),
      how: translate('Declare one in the resources folder, such as resources/cars.ts.'),
      done: [...descriptions.values()].some((description) => !isBuiltin(description)),
    },
  ];
}

/** Aligns the text of a button with the text above it. */
const flush = { ml: -0.75, minWidth: 0 } as const;

function Item({ step: { name, how, done, tick, link } }: { step: Step }) {
  const Mark = done ? CheckIcon : OpenIcon;
  const icon = (
    <Mark
      color={done ? 'success' : 'disabled'}
      fontSize="small"
      titleAccess={done ? translate('Done') : translate('Not done yet')}
    />
  );
  if (done) return <Line icon={icon} title={name} />;
  return (
    <Line icon={icon} title={name} text={how}>
      {tick && (
        <Button
          size="small"
          sx={flush}
          onClick={tick}
          aria-label={translate('{part}: {what}', { part: name, what: translate('Done') })}
        >
          {translate('Done')}
        </Button>
      )}
      {link !== undefined && (
        <Button size="small" sx={flush} href={link}>
          {translate('Open')}
        </Button>
      )}
    </Line>
  );
}
