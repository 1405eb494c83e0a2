import { testWhatIsLeft } from './suite-that-leaves.ts';

testWhatIsLeft();
