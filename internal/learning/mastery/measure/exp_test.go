package measure
import ("testing";"os";"fmt")
func TestExp(t *testing.T){
 rd:=func(p string)[]Answer{if p==""{return nil};f,_:=os.Open("/work/shared/data/kt/"+p);a,_,err:=ReadAnswers(f);if err!=nil{t.Fatal(err)};return a}
 for _,c:=range [][2]string{{"assistments09_train.tsv","assistments09_test.tsv"},{"","assistments17_firstattempt_testusers.tsv"},{"","assistments09_train.tsv"}}{
 r:=Mastery(rd(c[0]),rd(c[1]),0)
 fmt.Println(c,r.TrainAnswers,r.TestAnswers,r.TrainPeople,r.TestPeople,r.MicrosPerStep)
 for _,m:=range r.Models{fmt.Printf("%-26s AUC %.4f LL %.4f ECE %.4f\n",m.Model,m.AUC,m.LogLoss,m.ECE)}
 }
}
